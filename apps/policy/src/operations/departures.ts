import type { EventOrigin } from '@gatehouse/service';
import { createEvent, untilWritten } from '@gatehouse/service';
import type { Policy } from '../policy.js';
import type { TestDocument } from '../store/documents.js';
import { dropAssignment } from './assignments.js';
import { dropDefinition } from './definitions.js';
import { testState } from './records.js';

/** Follows up what was deleted elsewhere. What is gone already is left alone, so everything here may be done twice. */

/** Makes the origin of the events about a record of a project. */
export type OriginOf = (projectId: string) => EventOrigin;

/** Drops a record as it is now, until that has succeeded or the record is gone. */
async function drop<T>(
  find: () => Promise<T | null>,
  write: (current: T) => Promise<boolean>,
): Promise<void> {
  await untilWritten(async () => {
    const current = await find();
    return current === null || (await write(current)) || null;
  });
}

function dropAssignments(
  policy: Pick<Policy, 'stores'>,
  assignments: readonly { projectId: string; _id: string }[],
  originOf: OriginOf,
): Promise<void[]> {
  const { stores } = policy;
  const drops = assignments.map(({ projectId, _id: id }) =>
    drop(
      () => stores.assignments.find(projectId, id),
      (current) => dropAssignment(policy, current, originOf(projectId)),
    ),
  );
  return Promise.all(drops);
}

/** Removes the assignments to an actor that was deleted. They reach nobody already: keys are never given again. */
export async function forgetActor(
  policy: Pick<Policy, 'stores'>,
  { organizationId, actorKey }: { organizationId: string; actorKey: string },
  originOf: OriginOf,
): Promise<void> {
  await dropAssignments(
    policy,
    await policy.stores.assignments.listOfActor(organizationId, actorKey),
    originOf,
  );
}

/** Removes what belonged to a definition that was deleted: its tests, and assignments that a process which died left. */
export async function forgetDefinition(
  policy: Pick<Policy, 'stores'>,
  { projectId, definitionId }: { projectId: string; definitionId: string },
  originOf: OriginOf,
): Promise<void> {
  const { stores } = policy;
  await dropAssignments(policy, await stores.assignments.listOfDefinition(projectId, definitionId), originOf);
  for (const { _id: id } of await stores.tests.listOfDefinition(projectId, definitionId)) {
    await drop(
      () => stores.tests.find(projectId, id),
      (current) => dropTest(policy, current, originOf(projectId)),
    );
  }
}

/** Removes what a race, or a process that died, has left on a connection that was deleted; the tests of it follow. */
export async function forgetConnection(
  policy: Pick<Policy, 'stores'>,
  { projectId, connectionId }: { projectId: string; connectionId: string },
  originOf: OriginOf,
): Promise<void> {
  const { stores } = policy;
  await dropAssignments(policy, await stores.assignments.listOfConnection(projectId, connectionId), originOf);
  for (const { _id: id } of await stores.definitions.listOfConnection(projectId, connectionId)) {
    await drop(
      () => stores.definitions.find(projectId, id),
      (current) => dropDefinition(policy, current, originOf(projectId)),
    );
  }
}

/** Deletes a test as it was read; false when it has changed since. */
export async function dropTest(
  { stores }: Pick<Policy, 'stores'>,
  current: TestDocument,
  origin: EventOrigin,
): Promise<boolean> {
  const { projectId, _id: id } = current;
  const events = [createEvent('management.policy_test.deleted.v1', id, { origin, data: testState(current) })];
  return stores.tests.delete(projectId, current, { events, now: origin.now });
}
