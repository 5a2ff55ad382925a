/** Removes records that depend on deleted ones. Every function is idempotent. */
import { type EventOrigin, retryOnConflict } from '@gatehouse/service';
import { dropAssignment } from '../assignments/deleteAssignment.js';
import { dropDefinition } from '../definitions/deleteDefinition.js';
import type { Dependencies } from '../dependencies.js';
import { dropTest } from '../policyTests/deleteTest.js';
import type { Stores } from '../store/stores.js';

/** Creates the origin of the events of a record in a project. */
export type OriginOf = (projectId: string) => EventOrigin;

/** Deletes a record, retrying on conflict until it is deleted or gone. */
async function drop<T>(find: () => Promise<T | null>, write: (current: T) => Promise<void>): Promise<void> {
  await retryOnConflict(async () => {
    const current = await find();
    if (current !== null) await write(current);
  });
}

/** The most records that are read and deleted at once. Each may have 2 MiB. */
const AT_ONCE = 20;

/** Deletes records one group after the other: there may be as many as the quota allows. */
async function dropEach<T>(
  ids: AsyncIterable<T> | Iterable<T>,
  dropOne: (id: T) => Promise<void>,
): Promise<void> {
  let group: T[] = [];
  for await (const id of ids) {
    if (group.push(id) < AT_ONCE) continue;
    await Promise.all(group.map(dropOne));
    group = [];
  }
  await Promise.all(group.map(dropOne));
}

function dropAssignments(
  deps: Pick<Dependencies, 'stores'>,
  ids: ReturnType<Stores['assignments']['scanIds']>,
  originOf: OriginOf,
): Promise<void> {
  return dropEach(ids, ({ projectId, _id: id }) =>
    drop(
      () => deps.stores.assignments.find(projectId, id),
      (current) => dropAssignment(deps, current, originOf(projectId)),
    ),
  );
}

/** Removes the assignments of a deleted actor. They already have no effect: keys are never reused. */
export async function removeActorAssignments(
  deps: Pick<Dependencies, 'stores'>,
  { organizationId, actorKey }: { organizationId: string; actorKey: string },
  originOf: OriginOf,
): Promise<void> {
  await dropAssignments(deps, deps.stores.assignments.scanOfActor(organizationId, actorKey), originOf);
}

/** Removes the tests of a deleted definition, and assignments that a crashed process left. */
export async function removeDefinitionDependents(
  deps: Pick<Dependencies, 'stores'>,
  { projectId, definitionId }: { projectId: string; definitionId: string },
  originOf: OriginOf,
): Promise<void> {
  const { assignments, tests } = deps.stores;
  await dropAssignments(deps, assignments.scanIds(projectId, { definitionId }), originOf);
  await dropEach(await tests.listHeads(projectId, definitionId), ({ _id: id }) =>
    drop(
      () => tests.find(projectId, id),
      (current) => dropTest(deps, current, originOf(projectId)),
    ),
  );
}

/**
 * Removes the policies that a race or a crashed process left on a deleted connection. The tests are removed
 * on the events of their definitions.
 */
export async function removeConnectionPolicies(
  deps: Pick<Dependencies, 'stores'>,
  { projectId, connectionId }: { projectId: string; connectionId: string },
  originOf: OriginOf,
): Promise<void> {
  const { assignments, definitions } = deps.stores;
  await dropAssignments(deps, assignments.scanIds(projectId, { connectionId }), originOf);
  await dropEach(definitions.scanIds(projectId, connectionId), ({ _id: id }) =>
    drop(
      () => definitions.find(projectId, id),
      (current) => dropDefinition(deps, current, originOf(projectId)),
    ),
  );
}
