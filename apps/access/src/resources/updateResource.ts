import { isDeepStrictEqual } from 'node:util';
import { invalidField, type EventData, type JsonObject } from '@gatehouse/contract';
import { changeResource } from './changeResource.js';
import { updatedEvent } from './events.js';
import type { ResourceChange, ResourceHeader, ResourceKind, ResourceWrite } from './kind.js';
import type { Writer } from './writer.js';

/** The fields to change. Absent fields stay. A null body clears the body. */
export interface ResourceFieldsInput {
  id: string;
  title?: string | undefined;
  description?: string | undefined;
  isPrivate?: boolean | undefined;
  isDataApp?: boolean | undefined;
  tags?: string[] | undefined;
  body?: JsonObject | null | undefined;
  /** True if a request without a changed field has another purpose. */
  mayChangeNothing?: boolean | undefined;
}

const PLAIN_FIELDS = ['title', 'description', 'isPrivate', 'isDataApp', 'tags'] as const;

/** Returns the plain fields whose new value differs from the present one. */
function changedFields(header: ResourceHeader, input: ResourceFieldsInput): Partial<ResourceHeader> {
  const isChanged = (field: (typeof PLAIN_FIELDS)[number]) =>
    input[field] !== undefined && !isDeepStrictEqual(input[field], header[field]);
  return Object.fromEntries(PLAIN_FIELDS.filter(isChanged).map((field) => [field, input[field]]));
}

/** Returns the changed body and links. The present body was read with the header. */
async function changedBody(
  kind: ResourceKind,
  writer: Writer,
  { header, body }: { header: ResourceHeader; body: JsonObject | null | undefined },
): Promise<Pick<ResourceChange, 'body' | 'linkedVisualIds'>> {
  if (body === undefined) return {};
  const text = body === null ? null : JSON.stringify(body);
  const isSame = text === header.body;
  const kept = header.linkedVisualIds ?? [];
  const linkedVisualIds = await writer.findLinks(kind, { body, kept, isSame });
  return {
    ...(isSame ? {} : { body: text }),
    ...(isDeepStrictEqual(linkedVisualIds ?? [], kept) ? {} : { linkedVisualIds }),
  };
}

type Changes = EventData<'management.dashboard.updated.v1'>['changes'];

/** Returns the previous and the new values. A body may be a mebibyte, so only its name is included. */
function describeChanges(kind: ResourceKind, header: ResourceHeader, change: ResourceChange): Changes {
  const fields = PLAIN_FIELDS.filter((field) => field in change);
  const changes: Changes = Object.fromEntries(
    fields.map((field) => [field, { from: header[field], to: change[field] }]),
  );
  return 'body' in change ? { ...changes, [kind.bodyField]: { from: null, to: null } } : changes;
}

/** Returns the write of a change to the public record. It increments the version. */
function writeOf(
  kind: ResourceKind,
  writer: Writer,
  { header, change }: { header: ResourceHeader; change: ResourceChange },
): ResourceWrite {
  const changed = { ...change, version: header.version + 1, updatedAt: writer.now };
  const changes = describeChanges(kind, header, change);
  const event = updatedEvent(kind, changes, { resource: { ...header, ...changed }, origin: writer.origin });
  return { change: { ...changed, ...writer.marksOf(header) }, events: [event] };
}

/**
 * Changes fields of a resource, and returns it with its body. An update that changes no value, or that an
 * earlier run of the same operation made, writes nothing and keeps the version. Throws INVALID_REQUEST
 * without a field to change, NOT_FOUND, FORBIDDEN below EDITOR and for a writer who may not open the
 * resource, and the writer's error for another version.
 */
export async function updateResource(
  kind: ResourceKind,
  writer: Writer,
  input: ResourceFieldsInput,
): Promise<ResourceHeader> {
  const { id, body, mayChangeNothing, ...given } = input;
  if (!mayChangeNothing && body === undefined && Object.values(given).every((value) => value === undefined)) {
    throw invalidField('body', 'must have at least one field to change', 'required');
  }
  return changeResource(kind, writer, {
    id,
    readsBody: true,
    decidesOnBody: body !== undefined,
    needed: writer.needed,
    async decide(header) {
      await writer.authorize(kind, header, 'EDITOR');
      if (writer.isDone(header)) return null;
      writer.requireVersion(header);
      const fields = changedFields(header, input);
      if (fields.isPrivate === false) writer.authorizeOpening(header);
      const change = {
        ...fields,
        ...(await changedBody(kind, writer, { header, body })),
      };
      return Object.keys(change).length === 0 ? null : writeOf(kind, writer, { header, change });
    },
  });
}
