import { invalidField, type Catalog } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { diffCatalogs } from '../logic/catalogDiff.js';
import type { Answer, Input, Semantics } from '../semantics.js';
import type { ConnectionDocument } from '../store/documents.js';
import { requireAuthor } from './refusals.js';

/** What changed between two versions of a catalog that are kept, or since before the first, which is version 0. */
export async function listCatalogChanges(
  semantics: Semantics,
  { id, from: givenFrom, to: givenTo }: Input<'connections', 'changes'>,
  context: CallContext,
): Answer<'connections', 'changes'> {
  const { projectId } = requireAuthor(context.principal);
  const connection = await semantics.stores.connections.get(projectId, id);
  const versions = connection.catalogs.map(({ version }) => version);
  const to = givenTo ?? versions.at(-1) ?? 0;
  const from = givenFrom ?? Math.max(to - 1, 0);
  for (const [field, version] of Object.entries({ to, from })) {
    if (version === 0 || versions.includes(version)) continue;
    const kept = versions.length === 0 ? 'none' : `${versions[0]} to ${versions.at(-1)}`;
    throw invalidField(field, `is no version that is kept; those are ${kept}`);
  }
  if (from > to) throw invalidField('from', 'must not be after to');
  const [former, present] = await Promise.all([
    readVersion(semantics, connection, from),
    readVersion(semantics, connection, to),
  ]);
  return { connectionId: id, from, to, changes: diffCatalogs(former, present) };
}

async function readVersion(
  { stores }: Semantics,
  { projectId, catalogs }: ConnectionDocument,
  version: number,
): Promise<Catalog | null> {
  const entry = catalogs.find((each) => each.version === version);
  if (entry === undefined) return null;
  return JSON.parse(await stores.catalogs.getText(projectId, entry.key)) as Catalog;
}
