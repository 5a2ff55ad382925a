import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadAccessCases, type AccessCase } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from './src/api.js';
import { buildOrganization, type BuiltOrganization } from './src/organizations/build.js';
import { planOfCase } from './src/organizations/plan.js';
import { askInAllWays, type Expectations } from './src/organizations/ways.js';
import { forms, type TestServer } from './src/servers.js';
import { rowsOf } from './src/turns.js';

const CASES = fileURLToPath(new URL('../apps/access/cases', import.meta.url));
const cases = await loadAccessCases(CASES);

/** Number of organizations that are set up concurrently. */
const AT_ONCE = 8;

/**
 * In one deployment mode expired shares still exist during the queries, in the other they have been deleted.
 */
const SWEEP_INTERVAL_MS = { standalone: '600000', mesh: '200' };

function expectationsOf({ users, expected }: AccessCase): Expectations {
  return Object.fromEntries(
    Object.entries(users).map(([name, { later }]) => {
      const access = Object.entries(expected).map(([resource, byUser]) => [resource, byUser[name] ?? null]);
      return [name, { isActive: later.isActive ?? true, access: Object.fromEntries(access) }];
    }),
  );
}

/** Cases with a share that expires have different expectations for each deployment mode. */
const hasExpiry = ({ dashboards, visuals }: AccessCase) =>
  [dashboards, visuals]
    .flatMap((resources) => Object.values(resources))
    .some(({ shares }) => shares.some(({ expires }) => expires !== undefined));

describe.each(forms)('$form', ({ form, start: startServer }) => {
  const ownCases = [
    ...cases.filter(hasExpiry),
    ...rowsOf(
      form,
      cases.filter((accessCase) => !hasExpiry(accessCase)),
    ),
  ];
  let server: TestServer;
  const built = new Map<string, BuiltOrganization>();

  beforeAll(async () => {
    server = await startServer({ SWEEP_INTERVAL_MS: SWEEP_INTERVAL_MS[form] });
    const api = await createApi(server.credentials);
    const ground = { api, projects: { main: api.project } };
    const build = async (accessCase: AccessCase) => {
      built.set(accessCase.name, await buildOrganization(ground, planOfCase(accessCase)));
    };
    for (let start = 0; start < ownCases.length; start += AT_ONCE) {
      await Promise.all(ownCases.slice(start, start + AT_ONCE).map(build));
    }
    await sleep(Math.max(0, ...[...built.values()].map(({ readyAt }) => readyAt - Date.now() + 1)));
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each(ownCases.map((accessCase) => [accessCase.name, accessCase] as const))(
    '%s',
    async (name, accessCase) => {
      const organization = built.get(name);
      if (!organization) throw new Error('It was not built');
      const { told, expected } = await askInAllWays(organization, expectationsOf(accessCase));
      const { why } = accessCase;
      expect({ why, told }).toEqual({ why, told: expected });
    },
  );
});
