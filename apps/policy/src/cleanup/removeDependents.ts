/** Removes records that depend on deleted ones. Every function is idempotent. */
import { type EventOrigin, retryOnConflict } from '@gatehouse/service';
import { dropAssignment } from '../assignments/deleteAssignment.js';
import { dropDefinition } from '../definitions/deleteDefinition.js';
import type { Dependencies } from '../dependencies.js';
import { dropTest } from '../policyTests/deleteTest.js';

/** Creates the origin of the events of a record in a project. */
export type OriginOf = (projectId: string) => EventOrigin;

/** Deletes a record, retrying on conflict until it is deleted or gone. */
async function drop<T>(find: () => Promise<T | null>, write: (current: T) => Promise<void>): Promise<void> {
  await retryOnConflict(async () => {
    const current = await find();
    if (current !== null) await write(current);
  });
}

function dropAssignments(
  deps: Pick<Dependencies, 'stores'>,
  assignments: readonly { projectId: string; _id: string }[],
  originOf: OriginOf,
): Promise<void[]> {
  const { stores } = deps;
  const drops = assignments.map(({ projectId, _id: id }) =>
    drop(
      () => stores.assignments.find(projectId, id),
      (current) => dropAssignment(deps, current, originOf(projectId)),
    ),
  );
  return Promise.all(drops);
}

/** Removes the assignments of a deleted actor. They already have no effect: keys are never reused. */
export async function removeActorAssignments(
  deps: Pick<Dependencies, 'stores'>,
  { organizationId, actorKey }: { organizationId: string; actorKey: string },
  originOf: OriginOf,
): Promise<void> {
  const assignments = await deps.stores.assignments.listOfActor(organizationId, actorKey);
  await dropAssignments(deps, assignments, originOf);
}

/** Removes the tests of a deleted definition, and assignments that a crashed process left. */
export async function removeDefinitionDependents(
  deps: Pick<Dependencies, 'stores'>,
  { projectId, definitionId }: { projectId: string; definitionId: string },
  originOf: OriginOf,
): Promise<void> {
  const { stores } = deps;
  await dropAssignments(deps, await stores.assignments.listOfDefinition(projectId, definitionId), originOf);
  for (const { _id: id } of await stores.tests.listOfDefinition(projectId, definitionId)) {
    await drop(
      () => stores.tests.find(projectId, id),
      (current) => dropTest(deps, current, originOf(projectId)),
    );
  }
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
  const { stores } = deps;
  await dropAssignments(deps, await stores.assignments.listOfConnection(projectId, connectionId), originOf);
  for (const { _id: id } of await stores.definitions.listOfConnection(projectId, connectionId)) {
    await drop(
      () => stores.definitions.find(projectId, id),
      (current) => dropDefinition(deps, current, originOf(projectId)),
    );
  }
}
