import type { Migration, OrgUserPrincipal } from '@gatehouse/contract';
import { newKey, type Databases } from '@gatehouse/service';
import type { MigrationPlatform } from './platform.mjs';
import { makers, type MigrationWorld } from './world.js';

/** A dashboard that refers to one of everything, and a request that migrates it with a copy of each. */
export interface Migratable {
  id: string;
  request: {
    id: string;
    targetProjectId: string;
    connectionMapping: Record<string, string>;
    domainMapping: Record<string, null>;
    datamodelMapping: Record<string, null>;
    visualMapping: Record<string, null>;
  };
}

const letters = () =>
  newKey()
    .toLowerCase()
    .replace(/[^a-z]/g, '_');

export async function makeMigratable({ platform, source, target }: MigrationWorld): Promise<Migratable> {
  const from = makers(platform, source);
  const connection = await from.connection();
  const targetConnection = await makers(platform, target).connection();
  const datasets = [{ name: 'o', connectionId: connection, table: 'orders' }];
  const domain = await from.domain(`d_${letters()}`, { datasets });
  const datamodel = await from.datamodel(`Model ${newKey()}`, connection);
  const inner = await from.visual({ cards: [{ dataSource: { connectionId: connection } }] });
  const outer = await from.visual({ visualId: inner, cards: [{ dataSource: { domainId: domain } }] });
  const cards = [{ dataSource: { datamodelId: datamodel } }, { dataSource: { connectionId: connection } }];
  const id = await from.dashboard({ sheets: [{ frames: [{ visualId: outer, cards }] }] }, { tags: ['one'] });
  return {
    id,
    request: {
      id,
      targetProjectId: target.projectId,
      connectionMapping: { [connection]: targetConnection },
      domainMapping: { [domain]: null },
      datamodelMapping: { [datamodel]: null },
      visualMapping: { [outer]: null, [inner]: null },
    },
  };
}

const COLLECTIONS = [
  ['access', 'dashboards'],
  ['access', 'visuals'],
  ['semantics', 'domains'],
  ['semantics', 'datamodels'],
  ['semantics', 'connections'],
  ['semantics', 'assistantProfiles'],
] as const;

/**
 * All stored records of a project, by id. Events that are still to be published, and the write count, are
 * excluded.
 */
export async function readProject(databases: Databases, projectId: string): Promise<Map<string, object>> {
  const found = new Map<string, object>();
  for (const [service, name] of COLLECTIONS) {
    // Tombstones and marks of undone copies keep their project, and nothing of the record.
    const live = { projectId, deletedAt: { $exists: false }, undoneAt: { $exists: false } };
    const documents = databases.of(service).collection<{ _id: string }>(name).find(live);
    for await (const { _id, ...document } of documents) {
      const { outbox: _outbox, revision: _revision, ...fields } = document as Record<string, unknown>;
      found.set(_id, fields);
    }
  }
  return found;
}

/** The newest migration from or into the person's project; null when there is none. */
export async function findNewest(
  platform: MigrationPlatform,
  person: OrgUserPrincipal,
): Promise<Migration | null> {
  const { migrations } = await platform.call('lifecycle.migrations.list', person, { limit: 1 });
  return migrations[0] ?? null;
}
