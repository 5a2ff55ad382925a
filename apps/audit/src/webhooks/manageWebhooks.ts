import { invalidField, withName, type EventData, type Webhook } from '@gatehouse/contract';
import {
  createEvent,
  newId,
  originOf,
  requireVersion,
  retryOnConflict,
  type CallContext,
  findAppError,
} from '@gatehouse/service';
import type { Dependencies, Input, Output } from '../dependencies.js';
import { readTarget, requireTarget } from './findTarget.js';
import { requireAdmin } from './logic/access.js';
import { changesOf, consequencesOf } from './logic/changes.js';
import { replaceSecret } from './logic/secrets.js';
import { normalizeStoredUrl } from './logic/url.js';
import { generateSecret, openSecrets, sealSecret } from './sealSecret.js';
import type { WebhookDocument, WebhookDraft } from './store.js';

export const WEBHOOK_SERVICE = 'audit';

const callOrigin = (context: CallContext) => originOf(WEBHOOK_SERVICE, context);

/** The public record. Each field is named, so that no internal field leaks. */
function toWebhook(webhook: WebhookDocument): Webhook {
  const { _id: id, description, disabledReason, version, createdAt, updatedAt } = webhook;
  return {
    ...eventFields(webhook),
    id,
    description,
    disabledReason,
    version,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}

/** The data of events about a webhook. */
export function eventFields(
  webhook: Pick<WebhookDocument, '_id' | 'url' | 'eventTypes' | 'projectId' | 'isEnabled'>,
): EventData<'management.webhook.created.v1'> {
  const { _id: id, eventTypes, projectId, isEnabled } = webhook;
  return { id, url: normalizeStoredUrl(webhook.url), eventTypes, projectId, isEnabled };
}

/** Throws INVALID_REQUEST, naming `projectId`, unless the caller's organization has the project. */
async function requireProject(
  { directory }: Pick<Dependencies, 'directory'>,
  projectId: string,
  context: CallContext,
): Promise<void> {
  await directory.projects.get.query({ id: projectId }, { context }).catch((error: unknown) => {
    const isNotFound = findAppError(error)?.code === 'NOT_FOUND';
    throw isNotFound
      ? invalidField('projectId', withName('names no project of the organization', projectId), 'reference')
      : error;
  });
}

export async function listWebhooks(
  { webhooks }: Dependencies,
  slice: Input<'list'>,
  context: CallContext,
): Promise<Output<'list'>> {
  const { organizationId } = requireAdmin(context.principal);
  const { records, nextCursor } = await webhooks.list(organizationId, slice);
  return { webhooks: records.map(toWebhook), nextCursor };
}

export async function getWebhook(
  { webhooks }: Dependencies,
  { id }: Input<'get'>,
  context: CallContext,
): Promise<Output<'get'>> {
  const { organizationId } = requireAdmin(context.principal);
  return { webhook: toWebhook(await webhooks.get(organizationId, id)) };
}

export async function createWebhook(
  dependencies: Dependencies,
  { url: given, description, eventTypes, projectId, isEnabled }: Input<'create'>,
  context: CallContext,
): Promise<Output<'create'>> {
  const { organizationId } = requireAdmin(context.principal);
  const { now, operation } = context;
  const _id = newId('webhook', operation);
  if (projectId !== null) await requireProject(dependencies, projectId, context);
  const url = await requireTarget(dependencies, given);
  const secret = generateSecret(operation);
  const draft: WebhookDraft = {
    _id,
    url,
    description,
    eventTypes,
    projectId,
    isEnabled,
    disabledReason: isEnabled ? null : 'manual',
    sealedSecret: sealSecret(dependencies, { _id, organizationId }, secret),
    formerSecrets: [],
    failingSince: null,
  };
  const event = { origin: callOrigin(context), data: eventFields(draft) };
  const events = [createEvent('management.webhook.created.v1', _id, event)];
  const webhook = await dependencies.webhooks.insert(organizationId, draft, { events, now });
  return { webhook: { ...toWebhook(webhook), secret } };
}

export async function updateWebhook(
  dependencies: Dependencies,
  { id, ...wanted }: Input<'update'>,
  context: CallContext,
): Promise<Output<'update'>> {
  const { organizationId } = requireAdmin(context.principal);
  const { now } = context;
  const origin = callOrigin(context);
  const webhook = await retryOnConflict(async () => {
    const current = await dependencies.webhooks.get(organizationId, id);
    requireVersion(context, current.version);
    const url = wanted.url === undefined ? undefined : readTarget(wanted.url).url;
    const changes = changesOf(current, { ...wanted, url });
    if (changes === null) return current;
    if (changes.projectId && wanted.projectId) await requireProject(dependencies, wanted.projectId, context);
    if (changes.url && url) await requireTarget(dependencies, url);
    const changed = Object.entries(changes).map(([field, { to }]) => [field, to] as const);
    const set = { ...Object.fromEntries(changed), ...consequencesOf(changes) };
    const state = eventFields({ ...current, ...set });
    const events = [
      createEvent('management.webhook.updated.v1', id, { origin, data: { ...state, changes } }),
    ];
    if (changes.isEnabled?.to === false)
      events.push(
        createEvent('management.webhook.disabled.v1', id, { origin, data: { ...state, reason: 'manual' } }),
      );
    return dependencies.webhooks.update(organizationId, current, { set, events, now });
  });
  // The worker ends deliveries that are stored after this, or left by a crash, when they are due.
  if (wanted.isEnabled === false) await dependencies.deliveries.failWaiting(organizationId, id, now);
  return { webhook: toWebhook(webhook) };
}

export async function deleteWebhook(
  { webhooks, deliveries }: Dependencies,
  { id }: Input<'delete'>,
  context: CallContext,
): Promise<Output<'delete'>> {
  const { organizationId } = requireAdmin(context.principal);
  const { now } = context;
  const deleted = await retryOnConflict(async () => {
    const current = await webhooks.get(organizationId, id);
    requireVersion(context, current.version);
    const event = { origin: callOrigin(context), data: eventFields(current) };
    const events = [createEvent('management.webhook.deleted.v1', id, event)];
    await webhooks.delete(organizationId, current, { events, now });
    return current;
  });
  // As above.
  await deliveries.deleteOf(organizationId, id);
  return { message: 'The webhook was deleted', deletedWebhook: { id, url: deleted.url } };
}

export async function rotateSecret(
  dependencies: Dependencies,
  { id }: Input<'rotateSecret'>,
  context: CallContext,
): Promise<Output<'rotateSecret'>> {
  const { organizationId } = requireAdmin(context.principal);
  const { now } = context;
  const secret = generateSecret(context.operation);
  const webhook = await retryOnConflict(async () => {
    const current = await dependencies.webhooks.get(organizationId, id);
    // An earlier run of this operation has set it, also if it was replaced since.
    if (openSecrets(dependencies, current, new Date(0)).includes(secret)) return current;
    const set = replaceSecret(current, sealSecret(dependencies, current, secret), now);
    const event = { origin: callOrigin(context), data: { id, url: current.url } };
    const events = [createEvent('management.webhook_secret.rotated.v1', id, event)];
    return dependencies.webhooks.update(organizationId, current, { set, events, now });
  });
  return { webhook: { ...toWebhook(webhook), secret } };
}
