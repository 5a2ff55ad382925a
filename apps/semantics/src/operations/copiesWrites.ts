import { AppError, type CopyActor, type ModelTemplate } from '@gatehouse/contract';
import {
  createEvent,
  duplicateKeysOf,
  untilWritten,
  type CallContext,
  type EventOrigin,
} from '@gatehouse/service';
import { fold } from '../logic/fold.js';
import { connectionIdsIn, type TemplateOwner } from '../logic/modelTemplate.js';
import type { Answer, Input, Semantics } from '../semantics.js';
import type { Place } from '../store/copies.js';
import type { Stores } from '../store/stores.js';
import { checkTemplate, holdConnections } from './modelTemplates.js';
import { stateOf } from './records.js';
import { refuseTakenName, requireRoom } from './refusals.js';

/** Where and for whom something is written. */
type Writing = Place & { id: string; migrationId: string; actor: CopyActor };

const FIRST_VERSION = 1;
const NOUNS = { domain: 'semantic domain', datamodel: 'data model' } as const;

/** What a migration writes is the person's who asked for it. */
function originOf({ organizationId, projectId, actor }: Writing, now: Date): EventOrigin {
  const { userId: actorId, tokenId, requestId } = actor;
  const made = { service: 'semantics', organizationId, projectId, now };
  return { ...made, requestId, actorId, actorKind: 'orgUser', tokenId };
}

/** Throws CONFLICT for an id that is taken, or whose copy was undone, and for a name that is taken. */
async function insertOnceOnly<T extends { copiedBy?: string }>(
  noun: string,
  migrationId: string,
  insert: () => Promise<T>,
): Promise<void> {
  const made = await refuseTakenName(noun, insert).catch((cause: unknown) => {
    if (duplicateKeysOf(cause) === null) throw cause;
    throw new AppError('CONFLICT', { message: 'The copy was undone, or its id is taken', cause });
  });
  if (made.copiedBy !== migrationId) throw new AppError('CONFLICT', { message: 'The id is taken' });
}

/** Whether an earlier call of the migration has made it. */
async function isMade({ stores }: Semantics, type: TemplateOwner, writing: Writing): Promise<boolean> {
  const [state] = await stores.copies[type].listStates(writing, [writing.id]);
  return state?.copiedBy === writing.migrationId;
}

interface Copied {
  type: TemplateOwner;
  name: string;
  template: ModelTemplate;
}

/** Makes a record unless it is there already, and sees to it that its connections are. */
async function createCopy(
  semantics: Semantics,
  writing: Writing,
  {
    copied: { type, name, template },
    ids,
    context,
    insert,
  }: {
    copied: Copied;
    ids: string[];
    context: CallContext;
    insert: (text: string, origin: EventOrigin) => Promise<{ copiedBy?: string }>;
  },
): Promise<{ version: number }> {
  const { projectId, migrationId } = writing;
  if (!(await isMade(semantics, type, writing))) {
    const noun = NOUNS[type];
    await requireRoom(semantics.stores[type === 'domain' ? 'domains' : 'datamodels'], projectId, noun);
    const text = await checkTemplate(semantics, template, { projectId, owner: type, prefix: `${name}.` });
    await insertOnceOnly(noun, migrationId, () => insert(text, originOf(writing, context.now)));
  }
  await holdConnections(semantics, { projectId, ids, field: name }, () =>
    removeCopy(semantics, { ...writing, type }, context),
  );
  return { version: FIRST_VERSION };
}

export function createDomainCopy(
  semantics: Semantics,
  { name, label, description, template, ...writing }: Input<'copies', 'createDomain'>,
  context: CallContext,
): Answer<'copies', 'createDomain'> {
  const { organizationId, projectId, id, migrationId, actor } = writing;
  const { now } = context;
  const connectionIds = connectionIdsIn(template);
  const fields = { name, nameFolded: fold(name), label, description, createdBy: actor.userId };
  const draft = { _id: id, organizationId, ...fields, copiedBy: migrationId, connectionIds };
  return createCopy(semantics, writing, {
    copied: { type: 'domain', name, template },
    ids: connectionIds,
    context,
    insert(text, origin) {
      const data = { id, projectId, name };
      const events = [createEvent('management.domain.created.v1', id, { origin, data })];
      return semantics.stores.domains.insert(projectId, { ...draft, template: text }, { events, now });
    },
  });
}

export function createDataModelCopy(
  semantics: Semantics,
  { name, description, connectionId, template, ...writing }: Input<'copies', 'createDatamodel'>,
  context: CallContext,
): Answer<'copies', 'createDatamodel'> {
  const { organizationId, projectId, id, migrationId, actor } = writing;
  const { now } = context;
  const fields = { name, nameFolded: fold(name), description, createdBy: actor.userId };
  const draft = { _id: id, organizationId, ...fields, copiedBy: migrationId, connectionId };
  return createCopy(semantics, writing, {
    copied: { type: 'datamodel', name, template },
    ids: [connectionId],
    context,
    insert(text, origin) {
      const data = { id, projectId, name };
      const events = [createEvent('management.datamodel.created.v1', id, { origin, data })];
      return semantics.stores.datamodels.insert(projectId, { ...draft, template: text }, { events, now });
    },
  });
}

/** Deletes what a migration made, unless somebody has changed it since. */
export async function removeCopy(
  { stores }: Semantics,
  { type, ...writing }: Input<'copies', 'remove'>,
  { now }: CallContext,
): Answer<'copies', 'remove'> {
  const { id, projectId } = writing;
  const copies = stores.copies[type];
  return untilWritten(async () => {
    const [state] = await copies.listStates(writing, [id]);
    if (state === undefined) {
      const isOver = (await copies.markUndone(id, now)) || (await copies.isGone(projectId, id));
      return isOver ? { outcome: 'undone' as const } : null;
    }
    const data = stateOf({ ...state, projectId });
    const event = createEvent(`management.${type}.deleted.v1`, id, { origin: originOf(writing, now), data });
    const isDeleted = await copies.deleteCopy(writing, writing, { events: [event], now });
    return { outcome: isDeleted ? ('undone' as const) : ('changed' as const) };
  });
}

/** Longer than any call of a migration may be under way. */
const MARKS_KEPT_MS = 86_400_000;

/** Forgets which copies were undone long ago. */
export async function sweepCopyMarks({ copies }: Stores, now: Date): Promise<void> {
  const before = new Date(now.getTime() - MARKS_KEPT_MS);
  await copies.domain.deleteMarks(before);
  await copies.datamodel.deleteMarks(before);
}
