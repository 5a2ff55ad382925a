import type { OrgUserPrincipal } from '@gatehouse/contract';
import type { MigrationPlatform } from './platform.mjs';
import { addAuthor, makers, makeWorld, type MigrationWorld } from './world.js';

type Name =
  | 'dashboard'
  | 'visual'
  | 'connection'
  | 'domain'
  | 'model'
  | 'replaced'
  | 'linked'
  | 'reused'
  | 'targetConnection'
  | 'targetDomain'
  | 'copied';

/** A dashboard to migrate, one to replace, what they refer to, and an AUTHOR who may edit both. */
export interface InterleavedWorld extends MigrationWorld {
  author: OrgUserPrincipal;
  ids: Record<Name, string>;
  /** The migration to roll back, if there is one. */
  migrationId: string;
}
export type Operation = (world: InterleavedWorld) => Promise<unknown>;

const viewOf = ({ userId: orgUserId }: OrgUserPrincipal) => [
  { scope: 'specific_org_user' as const, orgUserId, role: 'VIEWER' as const },
];
const shareOf = ({ userId: orgUserId }: OrgUserPrincipal) => [
  { scope: 'specific_org_user' as const, orgUserId },
];

export async function createInterleavedWorld(platform: MigrationPlatform): Promise<InterleavedWorld> {
  const world = await makeWorld(platform);
  const author = await addAuthor(world);
  const [from, to] = [makers(platform, world.source), makers(platform, world.target)];
  const [connection, targetConnection] = [await from.connection('C'), await to.connection('C')];
  const datasets = [{ name: 'o', connectionId: connection, table: 'orders' }];
  const [domain, targetDomain] = [await from.domain('sales', { datasets }), await to.domain('target')];
  const model = await from.datamodel('Model', connection);
  const visual = await from.visual({ cards: [{ dataSource: { connectionId: connection } }] }, { title: 'V' });
  const cards = [{ dataSource: { domainId: domain } }, { dataSource: { datamodelId: model } }];
  const template = { sheets: [{ frames: [{ visualId: visual, cards }] }] };
  const dashboard = await from.dashboard(template, { title: 'Source', tags: ['one'] });
  const [linked, reused] = [await to.visual(null, { title: 'L' }), await to.visual(null, { title: 'R' })];
  const former = { sheets: [{ frames: [{ visualId: linked }] }] };
  const replaced = await to.dashboard(former, { title: 'Replaced' });
  await from.share(dashboard, author.userId, 'EDITOR');
  await to.share(replaced, author.userId, 'EDITOR');
  for (const id of [linked, reused])
    await platform.call('access.visualShares.grant', world.target, { id, shares: viewOf(author) });
  const sourceIds = { dashboard, visual, connection, domain, model };
  const targetIds = { replaced, linked, reused, targetConnection, targetDomain, copied: 'no copy' };
  return { ...world, author, ids: { ...sourceIds, ...targetIds }, migrationId: '' };
}

/** Migrates into a new dashboard with copies of everything, or into the existing one. */
export function migrateTo(where: 'new' | 'replaced', by: 'source' | 'author'): Operation {
  const isNew = where === 'new';
  return ({ platform, target, ids, ...world }) =>
    platform.call('lifecycle.migrations.migrate', world[by], {
      id: ids.dashboard,
      targetProjectId: target.projectId,
      connectionMapping: { [ids.connection]: ids.targetConnection },
      domainMapping: { [ids.domain]: isNew ? null : ids.targetDomain },
      datamodelMapping: { [ids.model]: null },
      visualMapping: { [ids.visual]: isNew ? null : ids.reused },
      ...(!isNew && { replaceExistingId: ids.replaced }),
    });
}

export const rollBack: Operation = ({ platform, source, migrationId }) =>
  platform.call('lifecycle.migrations.rollback', source, { id: migrationId });

const ofSource: Record<string, Operation> = {
  'another title': ({ platform, source, ids }) =>
    platform.call('access.dashboards.update', source, { id: ids.dashboard, title: 'Changed' }),
  'another template': ({ platform, source, ids }) =>
    platform.call('access.dashboards.update', source, { id: ids.dashboard, template: { sheets: [] } }),
  'the deletion of the source': ({ platform, source, ids }) =>
    platform.call('access.dashboards.delete', source, { id: ids.dashboard }),
  'another visual': ({ platform, source, ids }) =>
    platform.call('access.visuals.update', source, { id: ids.visual, title: 'Changed' }),
  'another body of the visual': ({ platform, source, ids }) =>
    platform.call('access.visuals.update', source, { id: ids.visual, frameObject: null }),
  'a revocation of the source': ({ platform, source, author, ids }) =>
    platform.call('access.dashboardShares.revoke', source, { id: ids.dashboard, shares: shareOf(author) }),
  'another model': ({ platform, source, ids }) =>
    platform.call('semantics.datamodels.update', source, { id: ids.model, description: 'Changed' }),
  'the deletion of the model': ({ platform, source, ids }) =>
    platform.call('semantics.datamodels.delete', source, { id: ids.model }),
  'the deletion of the domain': ({ platform, source, ids }) =>
    platform.call('semantics.domains.delete', source, { domainId: ids.domain }),
};

const ofTarget: Record<string, Operation> = {
  'a domain of the same name': ({ platform, target }) =>
    platform.call('semantics.domains.create', target, { name: 'sales' }),
  'a model of the same name': ({ platform, target, ids }) =>
    platform.call('semantics.datamodels.create', target, {
      name: 'Model',
      connectionId: ids.targetConnection,
    }),
  'the deletion of the target connection': ({ platform, target, ids }) =>
    platform.call('semantics.connections.delete', target, { id: ids.targetConnection }),
  'the deletion of the target domain': ({ platform, target, ids }) =>
    platform.call('semantics.domains.delete', target, { domainId: ids.targetDomain }),
  'another target domain': ({ platform, target, ids }) =>
    platform.call('semantics.domains.update', target, { domainId: ids.targetDomain, label: 'Changed' }),
  'a revocation of the reused visual': ({ platform, target, author, ids }) =>
    platform.call('access.visualShares.revoke', target, { id: ids.reused, shares: shareOf(author) }),
  'the deletion of the linked visual': ({ platform, target, ids }) =>
    platform.call('access.visuals.delete', target, { id: ids.linked }),
  'an edit of the copied model': ({ platform, target, ids }) =>
    platform.call('semantics.datamodels.update', target, { id: ids.copied, description: 'Mine' }),
  'the deletion of the copied model': ({ platform, target, ids }) =>
    platform.call('semantics.datamodels.delete', target, { id: ids.copied }),
};

const ofReplaced: Record<string, Operation> = {
  'an edit of the replaced dashboard': ({ platform, target, ids }) =>
    platform.call('access.dashboards.update', target, { id: ids.replaced, title: 'Mine' }),
  'an edit by the AUTHOR': ({ platform, target, author, ids }) =>
    platform.call(
      'access.dashboards.update',
      { ...author, projectId: target.projectId },
      { id: ids.replaced, title: 'Mine' },
    ),
  // The response contains the title, which depends on how far a rollback has come.
  'the deletion of the replaced dashboard': async ({ platform, target, ids }) => {
    await platform.call('access.dashboards.delete', target, { id: ids.replaced });
  },
  'a grant on the replaced dashboard': ({ platform, target, ids }) =>
    platform.call('access.dashboardShares.grant', target, {
      id: ids.replaced,
      shares: [{ scope: 'org_users_only', role: 'VIEWER' }],
    }),
  'a revocation of the replaced dashboard': ({ platform, target, author, ids }) =>
    platform.call('access.dashboardShares.revoke', target, { id: ids.replaced, shares: shareOf(author) }),
  'the opposite migration': ({ platform, target, source, ids }) =>
    platform.call('lifecycle.migrations.migrate', target, {
      id: ids.replaced,
      targetProjectId: source.projectId,
      connectionMapping: {},
      visualMapping: { [ids.linked]: null },
      replaceExistingId: ids.dashboard,
    }),
};

/** Single requests of others, and whole migrations. */
export const CHANGES: Record<string, Operation> = {
  ...ofSource,
  ...ofTarget,
  ...ofReplaced,
  'the same migration': migrateTo('new', 'source'),
  'a replacement': migrateTo('replaced', 'source'),
  'a replacement by the AUTHOR': migrateTo('replaced', 'author'),
  'the rollback': rollBack,
};
