import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  modelAccess,
  RANDOM_NOW,
  randomRuns,
  startTestMongo,
  type Organization,
  type TestMongo,
} from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { succeeded, type Identity, type Project } from './src/api.js';
import type { CommandResult } from './src/cliCalls.js';
import { findCopy, openOrganization, runIn, type OrganizationApi } from './src/configuration/copies.js';
import { buildContents, contentSeeds, withContents, type ContentSeed } from './src/configuration/contents.js';
import { buildPolicies, policySeeds, readPreviews, type PolicySeed } from './src/configuration/policies.js';
import { comparable, namesIn, readContents, readRecords, type Admins } from './src/configuration/records.js';
import { copiedOrganizations, isOfAbsentOwner } from './src/configuration/variants.js';
import { expectationsOf } from './src/organizations/changes.js';
import { buildOrganization } from './src/organizations/build.js';
import { planOfOrganization, possibleOrganization } from './src/organizations/plan.js';
import { askInAllWays } from './src/organizations/ways.js';
import { addOrganization } from './src/secondOrganization.js';
import { forms, type TestServer } from './src/servers.js';

const ORGANIZATIONS = randomRuns(4, Number(process.env['FUZZ_ORGANIZATIONS'] ?? 1000));
/** Each deployment mode gets its share. */
const ORGANIZATIONS_PER_FORM = Math.ceil(ORGANIZATIONS / forms.length);
/** For a test that hangs: the full test takes hours on a busy machine. */
const LIMIT_MS = 30 * 60_000 + ORGANIZATIONS_PER_FORM * 60_000;
/** Most of the time of one passes in waits for its shares to expire. */
const TOGETHER = 5;

/** Fails with what the command has printed. */
async function expectSuccess(running: Promise<CommandResult>): Promise<void> {
  const result = await running;
  expect(result).toEqual({ ...result, exitCode: 0 });
}

type Drawn = [Organization, PolicySeed, ContentSeed];

/** Whether an active user may read a resource: one of the organization's, or the ADMIN who pulls. */
function isReadable(organization: Organization, resource: string): boolean {
  const caller = { tenant: null, role: 'ADMIN' as const, isActive: true };
  const users = { ...organization.users, caller };
  return Object.keys(users).some(
    (user) => modelAccess({ ...organization, users }, { user, resource, now: RANDOM_NOW }) !== null,
  );
}

describe('the organizations that are copied', () => {
  it('often have a deactivated owner of what only tenant users may read', () => {
    const drawn = fc.sample(copiedOrganizations, { numRuns: 300, seed: 1 });
    const hard = drawn.filter((organization) => {
      const possible = possibleOrganization(organization);
      return Object.keys(possible.resources).some((name) => isOfAbsentOwner(possible, name));
    });
    expect(hard.length).toBeGreaterThan(60);
  });
});

describe.each(forms)('configuration in files ($form)', ({ start }) => {
  let mongo: TestMongo;
  let server: TestServer;
  let folder: string;
  /** How many organizations have an identical copy. */
  let copied = 0;

  beforeAll(async () => {
    mongo = await startTestMongo();
    server = await start({
      MONGODB_URL: mongo.url,
      MONGODB_PREFIX: mongo.prefix,
      SWEEP_INTERVAL_MS: '600000',
      WEBHOOK_HOSTS: '127.0.0.1',
    });
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-configuration-'));
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await mongo[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  /** An organization of its own. */
  async function createOrganization(): Promise<OrganizationApi> {
    return openOrganization(await addOrganization(mongo, server.credentials));
  }

  /** The ADMIN of an organization in each project. */
  async function openAdmins(api: OrganizationApi, projects: Record<string, Project>): Promise<Admins> {
    const opened = Object.entries(projects).map(async ([name, project]) => {
      const session = await api.openSession({ orgUserId: api.adminId }, project);
      return [name, { projectId: project.projectId, session }] as const;
    });
    return Object.fromEntries(await Promise.all(opened));
  }

  /** Pulls an organization, applies it to an empty one, and compares all records, and what both permit. */
  async function copyOrganization([drawn, seed, contents]: Drawn): Promise<void> {
    const model = possibleOrganization(drawn);
    const [source, target] = [await createOrganization(), await createOrganization()];
    const from = { main: source.project, aside: await source.createProject('aside') };
    const to = { main: target.project, aside: await target.createProject('aside') };
    const plan = withContents(planOfOrganization(drawn, model), contents);
    const built = await buildOrganization({ api: source, projects: from }, plan);
    await buildPolicies(source, built, seed);
    await buildContents({ api: source, built, model }, contents);
    await sleep(Math.max(0, built.readyAt - Date.now() + 1));
    for (const project of ['main', 'aside'] as const) {
      const place = join(folder, built.tag, project);
      const [before, after] = [from[project], to[project]];
      await expectSuccess(runIn(source, before, ['pull', place]));
      await expectSuccess(runIn(source, before, ['plan', place]));
      await expectSuccess(runIn(target, after, ['apply', place, '--raise-owners']));
      await expectSuccess(runIn(target, after, ['plan', place]));
    }
    const [adminsBefore, adminsAfter] = [await openAdmins(source, from), await openAdmins(target, to)];
    const copy = await findCopy({ api: source, built }, target, adminsAfter, to);
    const expectations = expectationsOf(model);
    const { told, expected } = await askInAllWays(copy, expectations);
    expect(told).toEqual(expected);
    const [before, after] = [await readRecords(adminsBefore), await readRecords(adminsAfter)];
    // An id that a file cannot name stays as it is.
    const names = new Map([...namesIn(before, adminsBefore), ...namesIn(after, adminsAfter)]);
    const isKept = ({ title }: Record<string, unknown>) =>
      typeof title !== 'string' || isReadable(model, title.replace(`${built.tag} `, ''));
    const kept = Object.entries(before).map(([kind, records]) => [kind, records.filter(isKept)] as const);
    expect(comparable(after, names)).toEqual(comparable(Object.fromEntries(kept), names));
    expect(await readContents(copy, expectations, names)).toEqual(
      await readContents(built, expectations, names),
    );
    const previews = await readPreviews(source, built);
    expect(previews[0]).toMatchObject({ status: 200 });
    expect(await readPreviews(target, copy)).toEqual(previews);
    copied += 1;
  }

  describe('pull', () => {
    /** A dashboard of an org user or a tenant user, with shares. */
    async function shareDashboard(
      source: OrganizationApi,
      owner: Identity,
      shares: Record<string, unknown>[],
    ): Promise<string> {
      const session = await source.openSession(owner, source.project);
      const { id } = await source.createDashboard(session, { title: 'Sales', isPrivate: true });
      await source.share(session, id, shares);
      return id;
    }

    it('keeps the shares of a dashboard whose owner is deactivated, and that tenant users read', async () => {
      const source = await createOrganization();
      const [owner, absent] = [await source.createOrgUser('AUTHOR'), await source.createOrgUser('AUTHOR')];
      await source.createTenantUser((await source.createTenant()).id, 'VIEWER');
      const id = await shareDashboard(source, { orgUserId: owner.id }, [
        { scope: 'all_tenants_only', role: 'VIEWER' },
        { scope: 'specific_org_user', orgUserId: absent.id, role: 'EDITOR' },
      ]);
      const place = join(folder, id);
      const pull = async () => runIn(source, source.project, ['pull', place, '--overwrite']);
      expect(await pull()).toMatchObject({ exitCode: 0, errors: '' });
      for (const user of [owner, absent])
        succeeded(await source.admin.patch(`/org-users/${user.id}`, { isActive: false }));
      const again = await pull();
      expect(again).toMatchObject({ exitCode: 0, errors: '' });
      const text = await readFile(join(place, 'dashboards', 'sales.yaml'), 'utf8');
      expect(text).toContain('scope: all_tenants_only');
      expect(text).toContain(`orgUser: ${absent.email}`);
    });

    it.each(['and not created again', 'and created again with its id'])(
      'leaves out a dashboard whose owner is deleted, %s',
      async (afterwards) => {
        const source = await createOrganization();
        const tenant = await source.createTenant();
        const [owner, reader] = [
          await source.createTenantUser(tenant.id, 'POWER_USER'),
          await source.createTenantUser(tenant.id, 'VIEWER'),
        ];
        const id = await shareDashboard(source, { endUserId: owner.id }, [
          { scope: 'specific_tenant_user', tenantUserId: reader.id, role: 'EDITOR' },
        ]);
        succeeded(await source.admin.delete(`/tenant-users/${owner.id}`));
        if (afterwards.includes('again with'))
          await source.createTenantUser(tenant.id, 'POWER_USER', { id: owner.id });
        const place = join(folder, id);
        expect(await runIn(source, source.project, ['pull', place])).toMatchObject({
          exitCode: 0,
          errors: expect.stringContaining(
            `dashboard "Sales" (${id}) is left out: its owner is deleted`,
          ) as unknown,
        });
        await expectSuccess(runIn(source, source.project, ['plan', place, '--prune']));
      },
    );

    it('leaves out a share whose target is deleted and created again with its id', async () => {
      const source = await createOrganization();
      const tenant = await source.createTenant();
      const [owner, reader] = [
        await source.createOrgUser('AUTHOR'),
        await source.createTenantUser(tenant.id, 'VIEWER'),
      ];
      const id = await shareDashboard(source, { orgUserId: owner.id }, [
        { scope: 'specific_tenant_user', tenantUserId: reader.id, role: 'EDITOR' },
        { scope: 'all_tenants_only', role: 'VIEWER' },
      ]);
      succeeded(await source.admin.delete(`/tenant-users/${reader.id}`));
      await source.createTenantUser(tenant.id, 'VIEWER', { id: reader.id });
      const place = join(folder, id);
      await expectSuccess(runIn(source, source.project, ['pull', place]));
      const text = await readFile(join(place, 'dashboards', 'sales.yaml'), 'utf8');
      expect(text).toContain('scope: all_tenants_only');
      // The share is with the deleted user: applied elsewhere, it would open the dashboard to the new one.
      expect(text).not.toContain('specific_tenant_user');
      await expectSuccess(runIn(source, source.project, ['plan', place, '--prune']));
    });
  });

  describe('random organizations', () => {
    it(
      'have the same permissions and previews after pull and apply to an empty one',
      { timeout: LIMIT_MS },
      async () => {
        const together = Math.min(TOGETHER, ORGANIZATIONS_PER_FORM);
        const several = fc.array(fc.tuple(copiedOrganizations, policySeeds, contentSeeds), {
          minLength: together,
          maxLength: together,
        });
        const property = fc.asyncProperty(several, async (drawn) => {
          await Promise.all(drawn.map(copyOrganization));
        });
        // A failure is reported unchanged: to shrink it takes thousands of requests.
        const numRuns = Math.ceil(ORGANIZATIONS_PER_FORM / together);
        await expect(fc.assert(property, { numRuns, endOnFailure: true })).resolves.toBeUndefined();
        expect(copied).toBe(numRuns * together);
      },
    );
  });
});
