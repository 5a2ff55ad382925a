import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { organizations, randomRuns, startTestMongo, type TestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from './src/api.js';
import type { CommandResult } from './src/cliCalls.js';
import { findCopy, openOrganization, runIn, type OrganizationApi } from './src/configuration/copies.js';
import { buildPolicies, policySeeds, readPreviews } from './src/configuration/policies.js';
import { expectationsOf } from './src/organizations/changes.js';
import { buildOrganization } from './src/organizations/build.js';
import { planOfOrganization, possibleOrganization } from './src/organizations/plan.js';
import { askInAllWays } from './src/organizations/ways.js';
import { addOrganization } from './src/secondOrganization.js';
import { startTestStandalone, type TestServer } from './src/servers.js';

const ORGANIZATIONS = randomRuns(3, Number(process.env['FUZZ_ORGANIZATIONS'] ?? 1000));

let mongo: TestMongo;
let server: TestServer;
let folder: string;

beforeAll(async () => {
  mongo = await startTestMongo();
  server = await startTestStandalone({
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

/** Fails with what the command has printed. */
async function expectExit(exitCode: number, running: Promise<CommandResult>): Promise<CommandResult> {
  const result = await running;
  expect({ exitCode, output: result.output, errors: result.errors }).toEqual(result);
  return result;
}

describe('a random organization', () => {
  it('has the same permissions after it was pulled and applied to another one', async () => {
    const property = fc.asyncProperty(organizations, policySeeds, async (drawn, seed) => {
      const model = possibleOrganization(drawn);
      const [source, target] = [await createOrganization(), await createOrganization()];
      const from = { main: source.project, aside: await source.createProject() };
      const to = { main: target.project, aside: await target.createProject() };
      const built = await buildOrganization(
        { api: source, projects: from },
        planOfOrganization(drawn, model),
      );
      await buildPolicies(source, built, seed);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, built.readyAt - Date.now() + 1)));
      for (const project of ['main', 'aside'] as const) {
        const place = join(folder, built.tag, project);
        const [before, after] = [from[project], to[project]];
        await expectExit(0, runIn(source, before, ['pull', place]));
        await expectExit(0, runIn(source, before, ['plan', place]));
        await expectExit(0, runIn(target, after, ['apply', place, '--raise-owners']));
        await expectExit(0, runIn(target, after, ['plan', place]));
      }
      const sessions = Object.entries(to).map(async ([name, project]) => {
        const api = await createApi({ ...server.credentials, ...project, adminOrgUserId: target.adminId });
        return [name, { ...project, api }] as const;
      });
      const projects = Object.fromEntries(await Promise.all(sessions));
      const copy = await findCopy({ api: source, built }, target, projects);
      const { told, expected } = await askInAllWays(copy, expectationsOf(model));
      expect(told).toEqual(expected);
      expect(await readPreviews(target, copy)).toEqual(await readPreviews(source, built));
    });
    await fc.assert(property, { numRuns: ORGANIZATIONS, endOnFailure: true });
  });
});
