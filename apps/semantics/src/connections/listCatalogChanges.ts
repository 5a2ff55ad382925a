import { invalidField } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { requireAuthor } from '../authorization/logic/roles.js';
import { diffCatalogs } from '../catalogs/logic/diff.js';
import { readCatalog } from '../catalogs/storeVersion.js';
import type { Dependencies, Input, Output } from '../dependencies.js';

/** The changes between two kept versions of a catalog. Version 0 stands for the state before the first. */
export async function listCatalogChanges(
  dependencies: Dependencies,
  { id, from: givenFrom, to: givenTo }: Input<'connections', 'changes'>,
  context: CallContext,
): Promise<Output<'connections', 'changes'>> {
  const { projectId } = requireAuthor(context.principal);
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
  return { connectionId: id, from, to, changes: diffCatalogs(former, present) };
}
