import { AppError, type EventData, type JsonObject } from '@gatehouse/contract';
import { requireVersion, type CallContext } from '@gatehouse/service';
import { isDeepStrictEqual } from 'node:util';
import type { ResourceChange, ResourceHeader } from '../store/resourceDocument.js';
import type { ResourceWrite } from '../store/resourceWrites.js';
import { findLevel, requireLevel } from './accessLevels.js';
import { requireAsker, type Asker } from './asker.js';
import { changeResource } from './changeResource.js';
import { findConveyedLinks } from './linkVisuals.js';
import { originOfCall, updatedEvent } from './resourceEvents.js';
import type { ResourceKind } from './resourceKind.js';

/** The fields to change; those left out stay. A null body clears it. */
export interface ResourceFieldsInput {
  id: string;
  title?: string | undefined;
  description?: string | undefined;
  isPrivate?: boolean | undefined;
  isDataApp?: boolean | undefined;
  tags?: string[] | undefined;
  body?: JsonObject | null | undefined;
  /** Whether a request without a field to change has another purpose. */
  mayChangeNothing?: boolean | undefined;
}

const PLAIN_FIELDS = ['title', 'description', 'isPrivate', 'isDataApp', 'tags'] as const;

/** The plain fields whose new value differs from the one they have. */
function changedFields(header: ResourceHeader, input: ResourceFieldsInput): Partial<ResourceHeader> {
  const isChanged = (field: (typeof PLAIN_FIELDS)[number]) =>
    input[field] !== undefined && !isDeepStrictEqual(input[field], header[field]);
  return Object.fromEntries(PLAIN_FIELDS.filter(isChanged).map((field) => [field, input[field]]));
}

/** The body's fields when it differs from the one there is, which was read with the header. */
async function changedBody(
  kind: ResourceKind,
  asker: Asker,
  { header, body }: { header: ResourceHeader; body: JsonObject | null | undefined },
): Promise<Pick<ResourceChange, 'body' | 'linkedVisualIds'>> {
  if (body === undefined) return {};
  const text = body === null ? null : JSON.stringify(body);
  if (text === header.body) return {};
  if (kind.linkedKind === null) return { body: text };
  const kept = header.linkedVisualIds ?? [];
  return { body: text, linkedVisualIds: await findConveyedLinks(kind, asker, { body, kept }) };
}

type Changes = EventData<'management.dashboard.updated.v1'>['changes'];

/** The former and the present values. A body may be a mebibyte: it is only named. */
function describeChanges(kind: ResourceKind, header: ResourceHeader, change: ResourceChange): Changes {
  const fields = PLAIN_FIELDS.filter((field) => field in change);
  const changes: Changes = Object.fromEntries(
    fields.map((field) => [field, { from: header[field], to: change[field] }]),
  );
  return 'body' in change ? { ...changes, [kind.bodyField]: { from: null, to: null } } : changes;
}

/** The write of a change to the public record: it counts as a version. */
function writeOf(
  kind: ResourceKind,
  header: ResourceHeader,
  { change, context }: { change: ResourceChange; context: CallContext },
): ResourceWrite {
  const changed = { ...change, version: header.version + 1, updatedAt: context.now };
  const changes = describeChanges(kind, header, change);
  const resource = { ...header, ...changed };
  const event = updatedEvent(kind, changes, { resource, origin: originOfCall(context) });
  return { change: changed, events: [event] };
}

/**
 * Changes fields of a resource. Throws INVALID_REQUEST when there is none to change, NOT_FOUND, FORBIDDEN below EDITOR, and
 * PRECONDITION_FAILED when the version is none that the caller asked for. What changes nothing is no change: the version
 * stays.
 */
export async function updateResource<Full>(
  kind: ResourceKind<unknown, Full>,
  input: ResourceFieldsInput,
  context: CallContext,
): Promise<Full> {
  const asker = requireAsker(context, kind.type, input.id);
  const { id, body, mayChangeNothing, ...fields } = input;
  if (
    !mayChangeNothing &&
    body === undefined &&
    Object.values(fields).every((value) => value === undefined)
  ) {
    throw new AppError('INVALID_REQUEST', { message: 'At least one field to change is required' });
  }
  const after = await changeResource(kind, asker, {
    id,
    readsBody: true,
    decidesOnBody: body !== undefined,
    async decide(header) {
      await requireLevel(kind, asker, { resource: header, wanted: 'EDITOR' });
      requireVersion(context, header.version);
      const change = {
        ...changedFields(header, input),
        ...(await changedBody(kind, asker, { header, body })),
      };
      return Object.keys(change).length === 0 ? null : writeOf(kind, header, { change, context });
    },
  });
  return kind.toRecord(after, await findLevel(kind, asker, after));
}
