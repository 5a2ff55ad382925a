import { newKey } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { expect, it, vi } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { removeActorAssignments, removeConnectionPolicies } from './removeDependents.js';

const { platform } = await usePlatform(startPlatform);
const { stores } = platform;

const COUNT = 150;

/** A definition that is assigned to many actors, in a project of its own. */
async function assignToMany(actorKeyOf: (index: number) => string) {
  const project = await platform.openProject(`o_${newKey()}`);
  const { projectId, organizationId, connectionId } = project;
  const definitionId = (await project.define()).definition.id;
  for (let index = 0; index < COUNT; index += 1) {
    const ofDefinition = { organizationId, createdBy: null, definitionId, connectionId, params: null };
    const actor = { scopeType: 'TENANT' as const, actorId: `t_${index}`, actorKey: actorKeyOf(index) };
    const document = { _id: `usa_${newKey()}`, ...ofDefinition, ...actor };
    await stores.assignments.insert(projectId, document, { events: [], now: new Date() });
  }
  const originOf = () => {
    return { service: 'policy' as const, organizationId, projectId, requestId: 'r', now: new Date() };
  };
  return { ...project, definitionId, originOf };
}

/** Counts the records that are deleted at once while the work runs. */
async function mostAtOnce(work: () => Promise<void>): Promise<number> {
  let running = 0;
  let most = 0;
  const { assignments } = stores;
  const find = assignments.find.bind(assignments);
  const spy = vi.spyOn(assignments, 'find').mockImplementation(async (...place) => {
    running += 1;
    most = Math.max(most, running);
    const found = await find(...place);
    running -= 1;
    return found;
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return most;
}

it('removes all policies of a deleted connection, a few at a time', async () => {
  const { projectId, connectionId, definitionId, originOf } = await assignToMany((index) => `t:${index}`);
  const most = await mostAtOnce(() =>
    removeConnectionPolicies({ stores }, { projectId, connectionId }, originOf),
  );
  expect(await stores.assignments.countOfDefinition(projectId, definitionId)).toBe(0);
  expect(await stores.definitions.find(projectId, definitionId)).toBeNull();
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThan(COUNT / 2);
});

it('removes the assignments of a deleted actor, and no others', async () => {
  const { projectId, organizationId, definitionId, originOf } = await assignToMany((index) =>
    index === 0 ? 'gone' : `t:${index}`,
  );
  await removeActorAssignments({ stores }, { organizationId, actorKey: 'gone' }, originOf);
  expect(await stores.assignments.countOfDefinition(projectId, definitionId)).toBe(COUNT - 1);
});
