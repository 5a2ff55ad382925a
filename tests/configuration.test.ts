import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  modelAccess,
  organizations,
  RANDOM_NOW,
  randomRuns,
  startTestMongo,
  type Organization,
  type TestMongo,
} from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded } from './src/api.js';
import type { CommandResult } from './src/cliCalls.js';
import { findCopy, openOrganization, runIn, type OrganizationApi } from './src/configuration/copies.js';
import { buildPolicies, policySeeds, readPreviews, type PolicySeed } from './src/configuration/policies.js';
import { expectationsOf } from './src/organizations/changes.js';
import { buildOrganization } from './src/organizations/build.js';
import { planOfOrganization, possibleOrganization } from './src/organizations/plan.js';
import { askInAllWays } from './src/organizations/ways.js';
import { addOrganization } from './src/secondOrganization.js';
import { forms, type TestServer } from './src/servers.js';

const ORGANIZATIONS = randomRuns(4, Number(process.env['FUZZ_ORGANIZATIONS'] ?? 1000));
/** Each deployment mode gets its share. */
const ORGANIZATIONS_PER_FORM = Math.ceil(ORGANIZATIONS / forms.length);
/** Most of the time of one passes in waits for its shares to expire. */
const TOGETHER = 5;

/** Fails with what the command has printed. */
async function expectSuccess(running: Promise<CommandResult>): Promise<void> {
  const result = await running;
  expect(result).toEqual({ ...result, exitCode: 0 });
}

/**
 * The same with an active owner for each resource of an org user that only tenant users could read: they do
 * not see all of its shares, and `pull` warns of that.
 */
function withVisibleShares(organization: Organization): Organization {
  const users = { ...organization.users };
  for (const [resource, { owner }] of Object.entries(organization.resources)) {
    const user = users[owner];
    if (!user || user.isActive || user.tenant !== null) continue;
    const readers = Object.entries(users).filter(
      ([name, { isActive }]) =>
        isActive && modelAccess(organization, { user: name, resource, now: RANDOM_NOW }) !== null,
    );
    if (readers.length > 0 && readers.every(([, { tenant }]) => tenant !== null))
      users[owner] = { ...user, isActive: true };
  }
  return { ...organization, users };
}

describe.each(forms)('configuration in files ($form)', ({ start }) => {
  let mongo: TestMongo;
  let server: TestServer;
  let folder: string;

  beforeAll(async () => {
    mongo = await startTestMongo();
    server = await start({
      MONGODB_URL: mongo.url,
      MONGODB_PREFIX: mongo.prefix,
      SWEEP_INTERVAL_MS: '600000',
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

  /** Pulls an organization, applies it to an empty one, and compares what both permit and show. */
  async function copyOrganization([drawn, seed]: [Organization, PolicySeed]): Promise<void> {
    const model = withVisibleShares(possibleOrganization(drawn));
    const [source, target] = [await createOrganization(), await createOrganization()];
    const from = { main: source.project, aside: await source.createProject() };
    const to = { main: target.project, aside: await target.createProject() };
    const built = await buildOrganization({ api: source, projects: from }, planOfOrganization(drawn, model));
    await buildPolicies(source, built, seed);
    await sleep(Math.max(0, built.readyAt - Date.now() + 1));
    for (const project of ['main', 'aside'] as const) {
      const place = join(folder, built.tag, project);
      const [before, after] = [from[project], to[project]];
      await expectSuccess(runIn(source, before, ['pull', place]));
      await expectSuccess(runIn(source, before, ['plan', place]));
      await expectSuccess(runIn(target, after, ['apply', place, '--raise-owners']));
      await expectSuccess(runIn(target, after, ['plan', place]));
    }
    const opened = Object.entries(to).map(async ([name, project]) => {
      const api = await createApi({ ...server.credentials, ...project, adminOrgUserId: target.adminId });
      return [name, { ...project, api }] as const;
    });
    const copy = await findCopy(
      { api: source, built },
      target,
      Object.fromEntries(await Promise.all(opened)),
    );
    const { told, expected } = await askInAllWays(copy, expectationsOf(model));
    expect(told).toEqual(expected);
    const previews = await readPreviews(source, built);
    expect(previews[0]).toMatchObject({ status: 200 });
    expect(await readPreviews(target, copy)).toEqual(previews);
  }

  describe('pull', () => {
    it('warns of a dashboard that only tenant users read, who do not see all shares', async () => {
      const source = await createOrganization();
      const owner = await source.createOrgUser('AUTHOR');
      await source.createTenantUser((await source.createTenant()).id, 'VIEWER');
      const session = await source.openSession({ orgUserId: owner.id }, source.project);
      const { dashboard } = succeeded(
        await session.post<{ dashboard: { id: string } }>('/dashboards', { title: 'Sales', isPrivate: true }),
      );
      const shares = [{ scope: 'all_tenants_only', role: 'VIEWER' }];
      succeeded(await session.post(`/dashboards/${dashboard.id}/share`, { shares }));
      const pull = async () =>
        runIn(source, source.project, ['pull', join(folder, dashboard.id), '--overwrite']);
      expect(await pull()).toMatchObject({ exitCode: 0, errors: '' });
      succeeded(await source.admin.patch(`/org-users/${owner.id}`, { isActive: false }));
      expect(await pull()).toMatchObject({
        exitCode: 0,
        errors: expect.stringContaining(
          `dashboard "Sales" (${dashboard.id}) is read without its shares`,
        ) as unknown,
      });
    });
  });

  describe('random organizations', () => {
    it('have the same permissions and previews after pull and apply to an empty one', async () => {
      const together = Math.min(TOGETHER, ORGANIZATIONS_PER_FORM);
      const several = fc.array(fc.tuple(organizations, policySeeds), {
        minLength: together,
        maxLength: together,
      });
      const property = fc.asyncProperty(several, async (drawn) => {
        await Promise.all(drawn.map(copyOrganization));
      });
      // A failure is reported unchanged: to shrink it takes thousands of requests.
      const numRuns = Math.ceil(ORGANIZATIONS_PER_FORM / together);
      await expect(fc.assert(property, { numRuns, endOnFailure: true })).resolves.toBeUndefined();
    });
  });
});
