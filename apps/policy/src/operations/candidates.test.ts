import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPlatform, type TestPlatform } from '../testing/platform.js';
import { readAssignmentFacts, withDefinitions } from './candidates.js';

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
