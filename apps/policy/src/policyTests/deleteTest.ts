import {
  type CallContext,
  createEvent,
  type EventOrigin,
  originOf,
  requireVersion,
  retryOnConflict,
} from '@gatehouse/service';
import { requireProjectAdmin } from '../admission/refusals.js';
import type { Result, Input, Dependencies } from '../dependencies.js';
import type { TestDocument } from '../store/documents.js';
import { getTest, testState } from './readTests.js';

export async function deletePolicyTest(
  deps: Dependencies,
  input: Input<'tests', 'delete'>,
  context: CallContext,
): Result<'tests', 'delete'> {
  await requireProjectAdmin(deps, input.projectId, context);
  await retryOnConflict(async () => {
    const current = await getTest(deps, input);
    requireVersion(context, current.version);
    await dropTest(deps, current, originOf('policy', context));
  });
  return { ok: true, data: { id: input.testId } };
}

/**
 * Deletes a test at the revision that was read.
 * @throws WriteConflict if the test has changed since
 */
export async function dropTest(
  { stores }: Pick<Dependencies, 'stores'>,
  current: TestDocument,
  origin: EventOrigin,
): Promise<void> {
  const { projectId, _id: id } = current;
  const events = [createEvent('management.policy_test.deleted.v1', id, { origin, data: testState(current) })];
  await stores.tests.delete(projectId, current, { events, now: origin.now });
}
