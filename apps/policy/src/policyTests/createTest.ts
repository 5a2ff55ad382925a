import { AppError } from '@gatehouse/contract';
import { type CallContext, createEvent, newId, originOf } from '@gatehouse/service';
import { refuseFaults, requireProjectAdmin } from '../admission/refusals.js';
import type { Result, Input, Dependencies } from '../dependencies.js';
import { checkTest, toStored } from './checkTest.js';
import { dropTest } from './deleteTest.js';
import { testState, toTest } from './readTests.js';

/** The largest number of tests of one definition. */
const TESTS_MAX = 200;

/**
 * Stores a test of a definition. A test that outlives its definition by a race has no effect: the consumer of
 * the deletion event removes it.
 */
export async function createPolicyTest(
  deps: Dependencies,
  { projectId, definitionId, runtimeParams = null, sampleData = null, ...rest }: Input<'tests', 'create'>,
  context: CallContext,
): Result<'tests', 'create'> {
  const { organizationId, userId } = await requireProjectAdmin(deps, projectId, context);
  const { definitions, tests } = deps.stores;
  const definition = await definitions.get(projectId, definitionId);
  const described = await deps.connections.get(context, definition.connectionId, 'definitionId');
  const given = { ...rest, runtimeParams, sampleData };
  const fields = await checkTest(deps, { fields: given, stored: null, described }, context);
  if ((await tests.countOfDefinition(projectId, definitionId)) >= TESTS_MAX)
    refuseFaults([{ field: 'definitionId', message: `has ${TESTS_MAX} tests already, which is the most` }]);
  const id = newId('policyTest', context.operation);
  const draft = {
    _id: id,
    organizationId,
    definitionId,
    ...toStored(deps, { collection: 'tests', projectId, id }, fields),
    createdBy: userId,
  };
  const data = testState({ ...draft, projectId });
  const origin = originOf('policy', context);
  const events = [createEvent('management.policy_test.created.v1', id, { origin, data })];
  const document = await tests.insert(projectId, draft, { events, now: context.now });
  if (!(await definitions.touch(projectId, definitionId))) {
    await dropTest(deps, document, origin);
    throw new AppError('NOT_FOUND');
  }
  return { ok: true, data: { test: toTest(document) } };
}
