import {
  AppError,
  type EventData,
  type PolicyTest,
  type SampleData,
  type TestExpectation,
} from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { requireProjectAdmin } from '../admission/refusals.js';
import type { Result, Input, Dependencies } from '../dependencies.js';
import { shownParams } from '../secrets/sealing.js';
import { versionFields, type TestDocument } from '../store/documents.js';

export async function listPolicyTests(
  deps: Dependencies,
  { projectId, definitionId, limit, cursor }: Input<'tests', 'list'>,
  context: CallContext,
): Result<'tests', 'list'> {
  await requireProjectAdmin(deps, projectId, context);
  await deps.stores.definitions.get(projectId, definitionId);
  const { records, nextCursor } = await deps.stores.tests.list(projectId, definitionId, { limit, cursor });
  return { ok: true, data: records.map(toTest), nextCursor };
}

export async function getPolicyTest(
  deps: Dependencies,
  input: Input<'tests', 'get'>,
  context: CallContext,
): Result<'tests', 'get'> {
  await requireProjectAdmin(deps, input.projectId, context);
  return { ok: true, data: { test: toTest(await getTest(deps, input)) } };
}

/**
 * A test of the definition in the path.
 * @throws NOT_FOUND if there is none
 */
export async function getTest(
  { stores }: Dependencies,
  { projectId, definitionId, testId }: Input<'tests', 'delete'>,
): Promise<TestDocument> {
  const test = await stores.tests.get(projectId, testId);
  if (test.definitionId !== definitionId) throw new AppError('NOT_FOUND');
  return test;
}

/** The public record, field by field, so that no stored field leaks. */
export function toTest(document: TestDocument): PolicyTest {
  const { _id: id, definitionId, name, actor, sql, runtimeParams, sampleData, expectation } = document;
  return {
    id,
    definitionId,
    name,
    actor,
    sql,
    runtimeParams: shownParams(runtimeParams),
    sampleData: sampleData === null ? null : (JSON.parse(sampleData) as SampleData),
    expect: JSON.parse(expectation) as TestExpectation,
    ...versionFields(document),
  };
}

/** The state of a test in its events. */
export function testState({
  _id: id,
  name,
  projectId,
  definitionId,
}: Pick<
  TestDocument,
  '_id' | 'name' | 'projectId' | 'definitionId'
>): EventData<'management.policy_test.created.v1'> {
  return { id, name, projectId, definitionId };
}
