import {
  AppError,
  type MigrationResult,
  type OrgUserPrincipal,
  type OutputOf,
  type Services,
} from '@gatehouse/contract';
import { newId, newKey } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeMigratable, readProject, type Migratable } from './src/migration/migratable.js';
import { startMigrationPlatform, type MigrationPlatform } from './src/migration/platform.mjs';
import { addAuthor, makers, makeWorld, personOf, type MigrationWorld } from './src/migration/world.js';

type Migrated = OutputOf<Services['lifecycle']['procedures']['migrations']['migrate']>;

let mongo: TestMongo;
let platform: MigrationPlatform;
let world: MigrationWorld;
let migratable: Migratable;
beforeAll(async () => {
  mongo = await startTestMongo();
  platform = await startMigrationPlatform({ databases: mongo.databases });
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});
beforeEach(async () => {
  world = await makeWorld(platform);
  migratable = await makeMigratable(world);
});

function done(answer: Migrated): MigrationResult {
  if (!('dashboard' in answer)) throw new Error('Nothing was migrated');
  return answer;
}

type Request = Parameters<typeof platform.call<'lifecycle.migrations.migrate'>>[2];
const migrate = (change: Partial<Request> = {}, person: OrgUserPrincipal = world.source, key?: string) =>
  platform.call('lifecycle.migrations.migrate', person, { ...migratable.request, ...change }, key);
const rollBack = (id: string) => platform.call('lifecycle.migrations.rollback', world.source, { id });
const readTarget = () => readProject(mongo.databases, world.target.projectId);
const readSource = () => readProject(mongo.databases, world.source.projectId);
const getDashboard = async (id: string) =>
  (await platform.call('access.dashboards.get', world.target, { id })).dashboard;

/** The code of an error, and the records that it names, without any write. */
async function refusal(call: () => Promise<unknown>): Promise<{ code: string; fields: string[] }> {
  const before = [await readSource(), await readTarget()];
  const error: unknown = await call().then(
    () => new Error('It was not refused'),
    (refused: unknown) => refused,
  );
  if (!(error instanceof AppError)) throw error;
  expect([await readSource(), await readTarget()]).toEqual(before);
  return { code: error.code, fields: error.fieldErrors?.map(({ field }) => field) ?? [] };
}

describe('a migration', () => {
  it('copies a dashboard with all its references, private and with the tags of the source', async () => {
    const before = await readSource();
    const answer = done(await migrate());
    expect(answer).toMatchObject({ success: true, replaced: false, dashboard: { tags: ['one'] } });
    expect(answer.versionControl).toEqual({ status: 'not_configured', commitSha: null, commitUrl: null });
    const copy = await getDashboard(answer.dashboard.id);
    expect(copy).toMatchObject({ isPrivate: true, version: 1, ownerId: world.source.userId, tags: ['one'] });
    const text = JSON.stringify([...(await readTarget()).values()]);
    for (const id of before.keys()) expect(text).not.toContain(id);
    expect(await readSource()).toEqual(before);
    const { dashboard } = await platform.call(
      'access.dashboards.authenticate',
      { kind: 'system', name: 'gateway' },
      { dashboardId: answer.dashboard.id, dashboardSecret: answer.dashboard.secret ?? '' },
    );
    expect(dashboard?.projectId).toBe(world.target.projectId);
  });

  it('reports all faults of a request together', async () => {
    const { connectionMapping, domainMapping, datamodelMapping, visualMapping } = migratable.request;
    const [connection = ''] = Object.keys(connectionMapping);
    const [domain = ''] = Object.keys(domainMapping);
    const [datamodel = ''] = Object.keys(datamodelMapping);
    const [outer = '', inner = ''] = Object.keys(visualMapping);
    const change = {
      connectionMapping: { [connection]: connection, c_unknown: 'c_1' },
      domainMapping: { [domain]: 'dom_none' },
      domainsToCreate: [domain, 'dom_unknown'],
      datamodelMapping: {},
      datamodelsToCreate: [datamodel, datamodel],
      visualMapping: { [outer]: null },
      replaceExistingId: migratable.id,
    };
    const found = await refusal(() => migrate(change));
    expect(found.code).toBe('INVALID_REQUEST');
    expect(found.fields.toSorted()).toEqual(
      [
        `connectionMapping.${connection}`,
        'connectionMapping.c_unknown',
        `domainMapping.${domain}`,
        'domainsToCreate[0]',
        'domainsToCreate[1]',
        'datamodelsToCreate[1]',
        `visualMapping.${inner}`,
        'replaceExistingId',
      ].toSorted(),
    );
  });

  it.each([
    ['MISSING_MAPPING', { connectionMapping: {} }],
    ['TARGET_PROJECT_NOT_FOUND', { targetProjectId: 'p_none' }],
    ['NOT_FOUND', { id: 'd_none' }],
    ['REPLACE_TARGET_NOT_FOUND', { replaceExistingId: 'd_none' }],
  ])('is refused with %s for %j', async (code, change) => {
    expect(await refusal(() => migrate(change))).toMatchObject({ code });
  });

  it('does not find projects and records of other organizations', async () => {
    const place = { organizationId: newId('organization'), projectId: newId('project') };
    const other = await makeWorld(platform, personOf(place));
    const foreign = await makers(platform, other.target).connection();
    const [connection = ''] = Object.keys(migratable.request.connectionMapping);
    const refused = await refusal(() => migrate({ targetProjectId: other.target.projectId }));
    expect(refused.code).toBe('TARGET_PROJECT_NOT_FOUND');
    const mapped = await refusal(() => migrate({ connectionMapping: { [connection]: foreign } }));
    expect(mapped.code).toBe('TARGET_RESOURCE_NOT_FOUND');
  });

  it('requires an org user who may edit the source and the dashboard to replace', async () => {
    const { source, target } = world;
    const existing = await makers(platform, target).dashboard(null);
    const author = await addAuthor(world);
    const replace = () => migrate({ replaceExistingId: existing }, author);
    expect(await refusal(() => migrate({}, personOf(source, { role: 'VIEWER' })))).toMatchObject({
      code: 'FORBIDDEN',
    });
    const { organizationId, projectId } = source;
    const own = {
      tokenType: 'project' as const,
      tokenId: newKey(),
      tokenExpiresAt: 4_000_000_000,
      organizationId,
      projectId,
    };
    const asService = platform.call(
      'lifecycle.migrations.migrate',
      { kind: 'service', ...own },
      migratable.request,
    );
    await expect(asService).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await refusal(() => migrate({}, author))).toMatchObject({ code: 'NOT_FOUND' });
    await makers(platform, source).share(migratable.id, author.userId, 'VIEWER');
    expect(await refusal(() => migrate({}, author))).toMatchObject({ code: 'FORBIDDEN' });
    await makers(platform, source).share(migratable.id, author.userId, 'EDITOR');
    // A dashboard gives no access to a visual that only a visual links.
    const [, inner = ''] = Object.keys(migratable.request.visualMapping);
    expect((await refusal(() => migrate({}, author))).fields).toContain(`visualMapping.${inner}`);
    expect((await refusal(replace)).fields).toContain('replaceExistingId');
    await makers(platform, target).share(existing, author.userId, 'VIEWER');
    expect((await refusal(replace)).fields).toContain('replaceExistingId');
  });

  it('lets an AUTHOR copy what its role may create, also with a dashboard token', async () => {
    const author = await addAuthor(world);
    const id = await makers(platform, author).dashboard({ sheets: [] }, { tags: ['mine'] });
    const domain = await makers(platform, world.source).domain('only');
    const template = { sheets: [{ frames: [{ cards: [{ dataSource: { domainId: domain } }] }] }] };
    const onDomain = await makers(platform, author).dashboard(template);
    const bare = { connectionMapping: {}, domainMapping: {}, datamodelMapping: {}, visualMapping: {} };
    expect(
      await refusal(() => migrate({ ...bare, id: onDomain, domainMapping: { [domain]: null } }, author)),
    ).toEqual({
      code: 'FORBIDDEN',
      fields: [`domainMapping.${domain}`],
    });
    const ofDashboard = { ...author, tokenType: 'dashboard' as const, dashboardId: id };
    expect(done(await migrate({ ...bare, id }, ofDashboard)).dashboard.tags).toEqual(['mine']);
    const ofAnother = { ...ofDashboard, dashboardId: onDomain };
    expect(await refusal(() => migrate({ ...bare, id }, ofAnother))).toMatchObject({ code: 'FORBIDDEN' });
  });

  it('with a dashboard token copies only visuals that the dashboard links, and no domain', async () => {
    const ofDashboard = { ...world.source, tokenType: 'dashboard' as const, dashboardId: migratable.id };
    const { domainMapping, visualMapping } = migratable.request;
    const [outer = '', inner = ''] = Object.keys(visualMapping);
    const [domain = ''] = Object.keys(domainMapping);
    expect((await refusal(() => migrate({}, ofDashboard))).fields.toSorted()).toEqual(
      [`domainMapping.${domain}`, `visualMapping.${inner}`].toSorted(),
    );
    const { domains } = done(await migrate()).createdResources;
    const [{ newId: targetDomain } = { newId: '' }] = domains;
    const within = {
      domainMapping: { [domain]: targetDomain },
      visualMapping: { [outer]: null, [inner]: 'unlink' },
    };
    const { visuals } = done(await migrate(within, ofDashboard)).createdResources;
    expect(visuals.map(({ sourceId }) => sourceId)).toEqual([outer]);
  });

  it('with a dashboard token replaces and reuses copies of its dashboard alone', async () => {
    const { source, target } = world;
    const visual = await makers(platform, source).visual(null);
    const template = { sheets: [{ frames: [{ visualId: visual }] }] };
    const id = await makers(platform, source).dashboard(template);
    const ofDashboard = { ...source, tokenType: 'dashboard' as const, dashboardId: id };
    const bare = { id, connectionMapping: {}, domainMapping: {}, datamodelMapping: {} };
    const other = await makers(platform, target).dashboard({ sheets: [] });
    const othersVisual = await makers(platform, target).visual(null);
    const reuse = (targetId: string | null) => ({ ...bare, visualMapping: { [visual]: targetId } });
    const replacing = { ...reuse(null), replaceExistingId: other };
    expect(await refusal(() => migrate(replacing, ofDashboard))).toEqual({
      code: 'REPLACE_TARGET_NOT_FOUND',
      fields: ['replaceExistingId'],
    });
    expect(await refusal(() => migrate(reuse(othersVisual), ofDashboard))).toEqual({
      code: 'TARGET_RESOURCE_NOT_FOUND',
      fields: [`visualMapping.${visual}`],
    });
    const first = done(await migrate(reuse(null), ofDashboard));
    const [{ newId: copied } = { newId: '' }] = first.createdResources.visuals;
    const again = { ...reuse(copied), replaceExistingId: first.dashboard.id };
    expect(done(await migrate(again, ofDashboard)).replaced).toBe(true);
    // A project token made this dashboard one of the dashboard, with a visual of its own.
    done(await migrate({ ...reuse(othersVisual), replaceExistingId: other }));
    const next = { ...reuse(othersVisual), replaceExistingId: other };
    expect(done(await migrate(next, ofDashboard)).replaced).toBe(true);
  });

  it('does not copy a Data App', async () => {
    const id = await makers(platform, world.source).dashboard(null, { isDataApp: true });
    expect(await refusal(() => migrate({ id }))).toEqual({ code: 'DATA_APP_NOT_SUPPORTED', fields: [] });
  });

  it('returns its plan and writes nothing in a dry run', async () => {
    const before = await readTarget();
    const answer = await migrate({ dryRun: true });
    if (!('plan' in answer)) throw new Error('It was no dry run');
    expect(answer.plan.steps.map(({ action }) => action)).toEqual([
      'verify',
      'createDomain',
      'createDatamodel',
      'createVisual',
      'createVisual',
      'createDashboard',
    ]);
    expect(await readTarget()).toEqual(before);
    const { migrations } = await platform.call('lifecycle.migrations.list', world.source, {});
    expect(migrations).toEqual([]);
  });

  it('follows the request that the analysis suggests', async () => {
    const question = { id: migratable.id, targetProjectId: world.target.projectId };
    const analysis = await platform.call('lifecycle.migrations.analyze', world.source, question);
    expect(analysis.problems).toEqual([]);
    const suggested = { id: migratable.id, ...analysis.suggestedRequest } as Request;
    const { domains, datamodels, visuals } = done(await migrate(suggested)).createdResources;
    expect([domains.length, datamodels.length, visuals.length]).toEqual([1, 1, 2]);
    const again = await platform.call('lifecycle.migrations.analyze', world.source, question);
    expect(again.domains).toMatchObject([
      { suggestedTargetId: domains[0]?.newId, candidates: [{ reason: 'sameName' }] },
    ]);
  });
});

describe('replacing a dashboard', () => {
  it('keeps its tags, owner, shares and secret, and changes nothing the second time', async () => {
    const existing = await makers(platform, world.target).dashboard({ sheets: [] }, { tags: ['kept'] });
    const documents = mongo.databases.of('access').collection<{ _id: string }>('dashboards');
    const before = await documents.findOne({ _id: existing });
    const first = done(await migrate({ replaceExistingId: existing }));
    expect(first).toMatchObject({
      replaced: true,
      dashboard: { id: existing, secret: null, tags: ['kept'] },
    });
    const after = await documents.findOne({ _id: existing });
    for (const kept of ['tags', 'ownerKey', 'shares', 'secretHash', 'isPrivate', 'createdAt'])
      expect([kept, after?.[kept as '_id']]).toEqual([kept, before?.[kept as '_id']]);
    const { domains, datamodels, visuals } = first.createdResources;
    const mapping = (created: typeof domains) =>
      Object.fromEntries(created.map((each) => [each.sourceId, each.newId]));
    const reusing = {
      replaceExistingId: existing,
      domainMapping: mapping(domains),
      datamodelMapping: mapping(datamodels),
      visualMapping: mapping(visuals),
    };
    const target = await readTarget();
    const second = done(await migrate(reusing));
    expect(second.createdResources).toEqual({ domains: [], datamodels: [], visuals: [] });
    expect(await readTarget()).toEqual(target);
    expect((await getDashboard(existing)).version).toBe(2);
    await rollBack(second.migrationId);
    expect((await getDashboard(existing)).version).toBe(2);
  });
});

describe('a repetition of the same operation', () => {
  it('returns the first response, with the same secret, and creates nothing', async () => {
    const key = newKey();
    const first = done(await migrate({}, world.source, key));
    const target = await readTarget();
    expect(done(await migrate({}, world.source, key))).toEqual(first);
    expect(await readTarget()).toEqual(target);
    const secrets = JSON.stringify(
      await mongo.databases.of('lifecycle').collection('migrations').find().toArray(),
    );
    expect(secrets).not.toContain(first.dashboard.secret);
  });
});

describe('a rollback', () => {
  it('restores the previous state, and does so once', async () => {
    const before = await readTarget();
    const { migrationId } = done(await migrate());
    expect((await rollBack(migrationId)).migration.status).toBe('rolled_back');
    expect(await readTarget()).toEqual(before);
    expect((await rollBack(migrationId)).migration.status).toBe('rolled_back');
  });

  it('is rejected, and the error names the records that were changed or used since', async () => {
    const { migrationId, dashboard, createdResources } = done(await migrate());
    const [visual] = createdResources.visuals;
    const user = await makers(platform, world.target).dashboard({
      sheets: [{ frames: [{ visualId: visual?.newId }] }],
    });
    await platform.call('access.dashboards.update', world.target, { id: dashboard.id, title: 'Mine' });
    const before = await readTarget();
    const refused: unknown = await rollBack(migrationId).catch((error: unknown) => error);
    if (!(refused instanceof AppError)) throw refused;
    expect(refused.code).toBe('CONFLICT');
    expect(refused.blockedBy?.map(({ id }) => id).toSorted()).toEqual([dashboard.id, user].toSorted());
    expect(await readTarget()).toEqual(before);
  });

  it('is refused to an AUTHOR whose access to the replaced dashboard was revoked', async () => {
    const { source, target } = world;
    const author = await addAuthor(world);
    const { userId: orgUserId } = author;
    const existing = await makers(platform, target).dashboard({ sheets: [] });
    const id = await makers(platform, source).dashboard({ sheets: [{ frames: [] }] });
    await makers(platform, source).share(id, orgUserId, 'EDITOR');
    await makers(platform, target).share(existing, orgUserId, 'EDITOR');
    const unmapped = { connectionMapping: {}, domainMapping: {}, datamodelMapping: {}, visualMapping: {} };
    const { migrationId } = done(await migrate({ id, replaceExistingId: existing, ...unmapped }, author));
    const shares = [{ scope: 'specific_org_user' as const, orgUserId }];
    await platform.call('access.dashboardShares.revoke', target, { id: existing, shares });
    const rollBackAs = (person: OrgUserPrincipal) =>
      platform.call('lifecycle.migrations.rollback', person, { id: migrationId });
    expect((await refusal(() => rollBackAs(author))).code).toBe('FORBIDDEN');
    expect((await rollBackAs(source)).migration.status).toBe('rolled_back');
  });
});
