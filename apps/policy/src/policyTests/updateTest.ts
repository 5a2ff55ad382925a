import { isDeepStrictEqual } from 'node:util';
import { invalidField, type EventData } from '@gatehouse/contract';
import { type CallContext, createEvent, originOf, requireVersion, retryOnConflict } from '@gatehouse/service';
import { requireProjectAdmin } from '../admission/refusals.js';
import type { Result, Input, Dependencies } from '../dependencies.js';
import { testPlace } from '../secrets/sealing.js';
import { checkTest, fieldsOf, toStored, type TestFields } from './checkTest.js';
import { getTest, testState, toTest } from './readTests.js';

type Changes = EventData<'management.policy_test.updated.v1'>['changes'];

/** The changed fields. All but the name may be large, so their values are left out. */
function describeChanges(before: TestFields, after: TestFields): Changes {
  const fields = (Object.keys(before) as (keyof TestFields)[]).filter(
    (field) => !isDeepStrictEqual(before[field], after[field]),
  );
  const change = (field: keyof TestFields) =>
    field === 'name' ? { from: before.name, to: after.name } : { from: null, to: null };
  return Object.fromEntries(fields.map((field) => [field, change(field)]));
}

export async function updatePolicyTest(
  deps: Dependencies,
  { projectId, definitionId, testId, ...change }: Input<'tests', 'update'>,
  context: CallContext,
): Result<'tests', 'update'> {
  await requireProjectAdmin(deps, projectId, context);
  const { stores } = deps;
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  if (Object.keys(given).length === 0)
    throw invalidField('body', 'must have at least one field to change', 'required');
  const document = await retryOnConflict(async () => {
    const current = await getTest(deps, { projectId, definitionId, testId });
    requireVersion(context, current.version);
    const definition = await stores.definitions.get(projectId, definitionId);
    const described = await deps.connections.get(context, definition.connectionId, 'definitionId');
    const before = fieldsOf(deps, current);
    const wanted = { fields: { ...before, ...given }, stored: before.runtimeParams, described };
    const after = await checkTest(deps, wanted, context);
    const changes = describeChanges(before, after);
    if (Object.keys(changes).length === 0) return current;
    const set = toStored(deps, testPlace(current), after);
    const data = { ...testState({ ...current, name: after.name }), changes };
    const origin = originOf('policy', context);
    const events = [createEvent('management.policy_test.updated.v1', testId, { origin, data })];
    return stores.tests.update(projectId, current, { set, events, now: context.now });
  });
  return { ok: true, data: { test: toTest(document) } };
}
