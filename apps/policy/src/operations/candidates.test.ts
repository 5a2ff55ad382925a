import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPlatform, type TestPlatform } from '../testing/platform.js';
import type { Assigned } from '../store/assignments.js';
import { factsOfKnown } from './actors.js';
import { readAssignmentFacts, withDefinitions } from './candidates.js';
import { EarlyCandidates } from './earlyCandidates.js';

let mongo: TestMongo;
let platform: TestPlatform;

beforeAll(async () => {
  mongo = await startTestMongo();
  platform = await startPlatform(mongo.databases);
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

const EVERYBODY = { scopeType: 'ALL_TENANTS' } as const;

describe('assignments that are read while definitions change', () => {
  it('are never without the rule of a definition that was replaced in between', async () => {
    const { projectId, connectionId, origin, ...project } = await platform.openProject();
    const { policy, stores } = platform;
    const former = (await project.define()).definition.id;
    const { assignment } = await project.assign(former, EVERYBODY);
    let readings = 0;
    const read = async () => {
      readings += 1;
      const documents = await stores.assignments.listCandidates(projectId, connectionId, ['all']);
      if (readings > 1) return withDefinitions(platform, projectId, documents);
      const successor = (await project.define()).definition.id;
      await project.assign(successor, EVERYBODY);
      await policy.assignments.delete(origin, { projectId, assignmentId: assignment.id });
      await policy.definitions.delete(origin, { projectId, definitionId: former });
      return withDefinitions(platform, projectId, documents);
    };
    const facts = await readAssignmentFacts(platform, read);
    expect(facts.map(({ definition }) => definition.id === former)).toEqual([false]);
    expect(readings).toBe(2);
  });

  it('leave out one whose definition was gone before', async () => {
    const { projectId, connectionId, ...project } = await platform.openProject();
    const { definition } = await project.define();
    const { assignment } = await project.assign(definition.id, EVERYBODY);
    const { stores } = platform;
    const orphaned = await stores.assignments.get(projectId, assignment.id);
    await stores.assignments.update(projectId, orphaned, {
      set: { definitionId: 'usd_gone' },
      events: [],
      now: new Date(),
    });
    const read = () => stores.assignments.listAssigned({ projectId, connectionId }, ['all']);
    expect(await readAssignmentFacts(platform, read)).toEqual([]);
  });
});

describe('assignments that are read before their actor is known', () => {
  const ground = { projectId: 'p', connectionId: 'c' };
  const person = { id: 'nora', name: 'Nora', email: null, role: null, tenantId: 't', tenantKey: 't:one' };
  const nora = factsOfKnown('TENANT_USER', { ...person, key: 'u:one' });

  /** A reader whose readings are noted, each by the keys it was made for. */
  function startReader(outcome: () => Promise<Assigned[]> = async () => []) {
    const readings: string[][] = [];
    const listAssigned = (_: unknown, keys: readonly string[]) => {
      readings.push([...keys]);
      return outcome();
    };
    return { readings, candidates: new EarlyCandidates({ assignments: { listAssigned } } as never) };
  }

  it('are read by the keys of the last time, and count when these are still the same', async () => {
    const { readings, candidates } = startReader();
    await candidates.begin('nora', ground)(nora);
    const read = candidates.begin('nora', ground);
    expect(readings).toEqual([
      ['all', 'u:one', 't:one'],
      ['all', 'u:one', 't:one'],
    ]);
    await read(nora);
    expect(readings).toHaveLength(2);
    await read(nora);
    expect(readings).toHaveLength(3);
  });

  it.each([
    ['the id was given to somebody else', { key: 'u:two' }],
    ['the user is in another tenant', { tenantKey: 't:two' }],
  ])('do not count when %s', async (_, changed) => {
    const { readings, candidates } = startReader();
    await candidates.begin('nora', ground)(nora);
    const now = { ...nora, ...changed };
    await candidates.begin('nora', ground)(now);
    expect(readings.at(-1)).toEqual(['all', now.key, now.tenantKey]);
  });

  it('fail only where they are asked for', async () => {
    const faults = [null, new Error('gone')];
    const { candidates } = startReader(async () => {
      const fault = faults.shift();
      if (fault) throw fault;
      return [];
    });
    await candidates.begin('nora', ground)(nora);
    candidates.begin('nora', ground);
    await candidates.begin('nora', ground)(nora);
    expect(faults).toEqual([]);
  });
});
