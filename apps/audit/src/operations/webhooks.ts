import { AppError } from '@gatehouse/contract';
import {
  createEvent,
  newId,
  originOf,
  requireVersion,
  untilWritten,
  type CallContext,
} from '@gatehouse/service';
import { changesOf, consequencesOf } from '../logic/webhookChanges.js';
import { replaceSecret } from '../logic/webhookSecrets.js';
import type { WebhookDraft } from '../store/webhooks.js';
import type { Answer, Input, Webhooks } from './webhookContext.js';
import { requireTarget } from './webhookDestination.js';
import { toWebhook, webhookState } from './webhookRecords.js';
import { requireProject, requireWebhookAdmin } from './webhookRefusals.js';
import { newWebhookSecret, openSecret, sealSecret } from './webhookSecrets.js';

export const WEBHOOK_SERVICE = 'audit';
const WEBHOOKS_MAX = 100;

const callOrigin = (context: CallContext) => originOf(WEBHOOK_SERVICE, context);

export async function listWebhooks(
  { webhooks }: Webhooks,
  _input: Input<'list'>,
  context: CallContext,
): Answer<'list'> {
  const { organizationId } = requireWebhookAdmin(context);
  return { webhooks: (await webhooks.list(organizationId)).map(toWebhook) };
}

export async function getWebhook(
  { webhooks }: Webhooks,
  { id }: Input<'get'>,
  context: CallContext,
): Answer<'get'> {
  const { organizationId } = requireWebhookAdmin(context);
  return { webhook: toWebhook(await webhooks.get(organizationId, id)) };
}

export async function createWebhook(
  webhooks: Webhooks,
  { url, description, eventTypes, projectId, isEnabled }: Input<'create'>,
  context: CallContext,
): Answer<'create'> {
  const { organizationId } = requireWebhookAdmin(context);
  const { now, operation } = context;
  const _id = newId('webhook', operation);
  if (projectId !== null) await requireProject(webhooks, projectId, context);
  await requireTarget(webhooks, url);
  await requireRoom(webhooks, organizationId, _id);
  const secret = newWebhookSecret(operation);
  const draft: WebhookDraft = {
    _id,
    url,
    description,
    eventTypes,
    projectId,
    isEnabled,
    disabledReason: isEnabled ? null : 'manual',
    sealedSecret: sealSecret(webhooks, { _id, organizationId }, secret),
    formerSecrets: [],
    failingSince: null,
  };
  const event = { origin: callOrigin(context), data: webhookState(draft) };
  const events = [createEvent('management.webhook.created.v1', _id, event)];
  const webhook = await webhooks.webhooks.insert(organizationId, draft, { events, now });
  return { webhook: { ...toWebhook(webhook), secret } };
}

/** Throws CONFLICT when the organization has as many webhooks as it may, and this one is none of them. */
async function requireRoom({ webhooks }: Webhooks, organizationId: string, id: string): Promise<void> {
  const known = await webhooks.list(organizationId);
  if (known.length < WEBHOOKS_MAX || known.some(({ _id }) => _id === id)) return;
  throw new AppError('CONFLICT', { message: `An organization has at most ${WEBHOOKS_MAX} webhooks` });
}

export async function updateWebhook(
  webhooks: Webhooks,
  { id, ...wanted }: Input<'update'>,
  context: CallContext,
): Answer<'update'> {
  const { organizationId } = requireWebhookAdmin(context);
  const { now } = context;
  const origin = callOrigin(context);
  const webhook = await untilWritten(async () => {
    const current = await webhooks.webhooks.get(organizationId, id);
    requireVersion(context, current.version);
    const changes = changesOf(current, wanted);
    if (changes === null) return current;
    if (changes.projectId && wanted.projectId) await requireProject(webhooks, wanted.projectId, context);
    if (changes.url && wanted.url) await requireTarget(webhooks, wanted.url);
    const changed = Object.entries(changes).map(([field, { to }]) => [field, to] as const);
    const set = { ...Object.fromEntries(changed), ...consequencesOf(changes) };
    const state = webhookState({ ...current, ...set });
    const events = [
      createEvent('management.webhook.updated.v1', id, { origin, data: { ...state, changes } }),
    ];
    if (changes.isEnabled?.to === false)
      events.push(
        createEvent('management.webhook.disabled.v1', id, { origin, data: { ...state, reason: 'manual' } }),
      );
    return webhooks.webhooks.update(organizationId, current, { set, events, now });
  });
  // What is stored after this, or left by a crash, ends when it is due: see the worker.
  if (wanted.isEnabled === false) await webhooks.deliveries.failWaiting(organizationId, id, now);
  return { webhook: toWebhook(webhook) };
}

export async function deleteWebhook(
  { webhooks, deliveries }: Webhooks,
  { id }: Input<'delete'>,
  context: CallContext,
): Answer<'delete'> {
  const { organizationId } = requireWebhookAdmin(context);
  const { now } = context;
  const deleted = await untilWritten(async () => {
    const current = await webhooks.get(organizationId, id);
    requireVersion(context, current.version);
    const event = { origin: callOrigin(context), data: webhookState(current) };
    const events = [createEvent('management.webhook.deleted.v1', id, event)];
    return (await webhooks.delete(organizationId, current, { events, now })) ? current : null;
  });
  // As above.
  await deliveries.deleteOf(organizationId, id);
  return { message: 'The webhook was deleted', deletedWebhook: { id, url: deleted.url } };
}

export async function rotateWebhookSecret(
  webhooks: Webhooks,
  { id }: Input<'rotateSecret'>,
  context: CallContext,
): Answer<'rotateSecret'> {
  const { organizationId } = requireWebhookAdmin(context);
  const { now } = context;
  const secret = newWebhookSecret(context.operation);
  const webhook = await untilWritten(async () => {
    const current = await webhooks.webhooks.get(organizationId, id);
    // An earlier run of this operation has set it already.
    if (openSecret(webhooks, current) === secret) return current;
    const set = replaceSecret(current, sealSecret(webhooks, current, secret), now);
    const event = { origin: callOrigin(context), data: { id, url: current.url } };
    const events = [createEvent('management.webhook_secret.rotated.v1', id, event)];
    return webhooks.webhooks.update(organizationId, current, { set, events, now });
  });
  return { webhook: { ...toWebhook(webhook), secret } };
}
