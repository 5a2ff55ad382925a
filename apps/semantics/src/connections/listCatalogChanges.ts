import { invalidField } from '@gatehouse/contract';
import { decodeCursor, invalidCursor, retryOnConflict, sliceOf, type CallContext } from '@gatehouse/service';
import { z } from 'zod';
import { requireAuthor } from '../authorization/logic/roles.js';
import { diffCatalogs } from '../catalogs/logic/diff.js';
import { readCatalog } from '../catalogs/storeVersion.js';
import type { Dependencies, Input, Output } from '../dependencies.js';

/** The connection, its two versions, and the number of changes before the end. */
const PageEnd = z.tuple([z.string(), z.number().int(), z.number().int(), z.number().int().min(0)]);

/** The versions that a cursor compares, and its place. A request with a cursor names no other versions. */
function placeOf({ id, from, to, cursor }: Input<'connections', 'changes'>) {
  if (cursor === undefined) return { from, to, skip: 0 };
  const [connectionId, givenFrom, givenTo, skip] = decodeCursor(cursor, PageEnd);
  const isOfRequest = connectionId === id && (from ?? givenFrom) === givenFrom && (to ?? givenTo) === givenTo;
  if (!isOfRequest) throw invalidCursor();
  return { from: givenFrom, to: givenTo, skip };
}

/** The changes between two kept versions of a catalog. Version 0 stands for the state before the first. */
export function listCatalogChanges(
  dependencies: Dependencies,
  input: Input<'connections', 'changes'>,
  context: CallContext,
): Promise<Output<'connections', 'changes'>> {
  return retryOnConflict(() => compareVersions(dependencies, input, context));
}

/** Throws WriteConflict if one of the versions was dropped since the connection was read. */
async function compareVersions(
  dependencies: Dependencies,
  input: Input<'connections', 'changes'>,
  context: CallContext,
): Promise<Output<'connections', 'changes'>> {
  const { projectId } = requireAuthor(context.principal);
  const { id, limit } = input;
  const { from: givenFrom, to: givenTo, skip } = placeOf(input);
  const connection = await dependencies.stores.connections.get(projectId, id);
  const versions = connection.catalogs.map(({ version }) => version);
  const to = givenTo ?? versions.at(-1) ?? 0;
  const from = givenFrom ?? Math.max(to - 1, 0);
  for (const [field, version] of Object.entries({ to, from })) {
    if (version === 0 || versions.includes(version)) continue;
    const kept = versions.length === 0 ? 'none' : `${versions[0]} to ${versions.at(-1)}`;
    throw invalidField(field, `is no version that is kept; those are ${kept}`, 'reference');
  }
  if (from > to) throw invalidField('from', 'must not be after to', 'range');
  const [former, present] = await Promise.all([
    readCatalog(dependencies, connection, from),
    readCatalog(dependencies, connection, to),
  ]);
  const rest = diffCatalogs(former, present).slice(skip, skip + limit + 1);
  const { records, nextCursor } = sliceOf(rest, limit, () => [id, from, to, skip + limit]);
  return { connectionId: id, from, to, changes: records, nextCursor };
}
