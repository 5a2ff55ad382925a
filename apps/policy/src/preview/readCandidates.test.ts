import { usePlatform } from '@gatehouse/testing/platform';
import { describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { readAssignmentFacts, withDefinitions } from './readCandidates.js';

const { platform } = await usePlatform(startPlatform);

const EVERYBODY = { scopeType: 'ALL_TENANTS' } as const;

describe('assignments read while definitions change', () => {
  it('always include the rule of a definition that was replaced in between', async () => {
    const { projectId, connectionId, origin, ...project } = await platform.openProject();
    const { policy, stores } = platform;
    const former = (await project.define()).definition.id;
    const { assignment } = await project.assign(former, EVERYBODY);
    let readings = 0;
    const read = async () => {
      readings += 1;
      const { records } = await stores.assignments.readOfConnection(projectId, connectionId, 10);
      if (readings > 1) return withDefinitions(platform, projectId, records);
      const successor = (await project.define()).definition.id;
      await project.assign(successor, EVERYBODY);
      await policy.assignments.delete.mutate({ projectId, assignmentId: assignment.id }, { context: origin });
      await policy.definitions.delete.mutate({ projectId, definitionId: former }, { context: origin });
      return withDefinitions(platform, projectId, records);
    };
    const facts = await readAssignmentFacts(platform, read);
    expect(facts.map(({ definition }) => definition.id === former)).toEqual([false]);
    expect(readings).toBe(2);
  });

  it('exclude one whose definition was deleted before', async () => {
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
