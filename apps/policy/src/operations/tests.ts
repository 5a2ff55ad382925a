import {
  AppError,
  type EventData,
  type FieldError,
  type Params,
  type PolicyActor,
  type SampleData,
  type TestExpectation,
} from '@gatehouse/contract';
import { type CallContext, createEvent, newId, requireVersion, untilWritten } from '@gatehouse/service';
import { isDeepStrictEqual } from 'node:util';
import { fold } from '../logic/fold.js';
import { findSampleTables } from '../logic/sampleTables.js';
import type { Answer, Input, Policy } from '../policy.js';
import type { TestDocument } from '../store/documents.js';
import { getActorFacts } from './actors.js';
import type { DescribedConnection } from './connections.js';
import { findParamFaults } from './definitionChecks.js';
import { dropTest } from './departures.js';
import { keepParamSecrets } from './keptSecrets.js';
import { callOrigin } from './origins.js';
import { testState, toTest } from './records.js';
import { refuseFaults, requireProjectAdmin } from './refusals.js';
import { sealParams, type Place } from './sealing.js';
import { testParamsOf, testPlace } from './storedFacts.js';

/** The largest number of tests of one definition. */
const TESTS_MAX = 200;

/** What a test says, with its secret values. */
interface TestFields {
  name: string;
  actor: PolicyActor;
  sql: string;
  runtimeParams: Params | null;
  sampleData: SampleData | null;
  expect: TestExpectation;
}

function fieldsOf({ sealer }: Policy, document: TestDocument): TestFields {
  const { name, actor, sql, sampleData, expect } = toTest(document);
  const runtimeParams = document.runtimeParams && testParamsOf({ sealer }, document);
  return { name, actor, sql, runtimeParams, sampleData, expect };
}

function sampleFaults(
  { expect, sampleData }: TestFields,
  { connection: { dialect }, catalog }: DescribedConnection,
): FieldError[] {
  const faults: FieldError[] = [];
  if (expect.rows !== undefined && dialect !== 'postgres')
    faults.push({
      field: 'expect.rows',
      message: `cannot be tested on ${dialect}: sample rows are in PostgreSQL`,
    });
  if (expect.rows !== undefined && sampleData === null)
    faults.push({ field: 'sampleData', message: 'is required with expect.rows' });
  if (sampleData === null || catalog === null) return faults;
  const found = findSampleTables(catalog, sampleData).faults;
  return [...faults, ...found.map(({ path, message }) => ({ field: `sampleData.${path}`, message }))];
}

/** Throws INVALID_REQUEST with every fault of a test; `***` in it keeps the value of `stored`. */
async function checkTest(
  policy: Policy,
  {
    fields,
    stored,
    described,
  }: {
    fields: TestFields;
    stored: Params | null;
    described: DescribedConnection;
  },
  context: CallContext,
): Promise<TestFields> {
  const { runtimeParams } = fields;
  const { kept, faults } = keepParamSecrets(runtimeParams ?? {}, stored ?? {}, 'runtimeParams');
  const paramFaults = findParamFaults(runtimeParams ?? {}, 'runtimeParams');
  refuseFaults([...sampleFaults(fields, described), ...paramFaults, ...faults]);
  await getActorFacts(policy, { actor: fields.actor, path: 'actor.' }, context);
  if (fields.expect.rows !== undefined) policy.samples.warmUp();
  return { ...fields, runtimeParams: runtimeParams && kept };
}

function toStored({ sealer }: Policy, place: Place, fields: TestFields) {
  const { name, actor, sql, runtimeParams, sampleData, expect } = fields;
  return {
    name,
    nameFolded: fold(name),
    actor,
    sql,
    runtimeParams: runtimeParams && sealParams(sealer, place, runtimeParams),
    sampleData: sampleData && JSON.stringify(sampleData),
    expectation: JSON.stringify(expect),
  };
}

export async function listPolicyTests(
  policy: Policy,
  { projectId, definitionId }: Input<'tests', 'list'>,
  context: CallContext,
): Answer<'tests', 'list'> {
  await requireProjectAdmin(policy, projectId, context);
  await policy.stores.definitions.get(projectId, definitionId);
  const tests = await policy.stores.tests.listOfDefinition(projectId, definitionId);
  return { ok: true, data: tests.map(toTest) };
}

/** Stores a test beside a definition. One that outlives its definition by a race is of no use, and goes with the event. */
export async function createPolicyTest(
  policy: Policy,
  { projectId, definitionId, runtimeParams = null, sampleData = null, ...rest }: Input<'tests', 'create'>,
  context: CallContext,
): Answer<'tests', 'create'> {
  const { organizationId, userId } = await requireProjectAdmin(policy, projectId, context);
  const { definitions, tests } = policy.stores;
  const definition = await definitions.get(projectId, definitionId);
  const described = await policy.connections.get(context, definition.connectionId, 'definitionId');
  const given = { ...rest, runtimeParams, sampleData };
  const fields = await checkTest(policy, { fields: given, stored: null, described }, context);
  if ((await tests.countOfDefinition(projectId, definitionId)) >= TESTS_MAX)
    refuseFaults([{ field: 'definitionId', message: `has ${TESTS_MAX} tests already, which is the most` }]);
  const id = newId('policyTest', context.operation);
  const draft = {
    _id: id,
    organizationId,
    definitionId,
    ...toStored(policy, { collection: 'tests', projectId, id }, fields),
    createdBy: userId,
  };
  const data = testState({ ...draft, projectId });
  const events = [
    createEvent('management.policy_test.created.v1', id, { origin: callOrigin(context), data }),
  ];
  const document = await tests.insert(projectId, draft, { events, now: context.now });
  if (!(await definitions.touch(projectId, definitionId))) {
    await dropTest(policy, document, callOrigin(context));
    throw new AppError('NOT_FOUND');
  }
  return { ok: true, data: { test: toTest(document) } };
}

/** A test of the definition that the path names. Throws NOT_FOUND. */
async function getTest({ stores }: Policy, { projectId, definitionId, testId }: Input<'tests', 'delete'>) {
  const test = await stores.tests.get(projectId, testId);
  if (test.definitionId !== definitionId) throw new AppError('NOT_FOUND');
  return test;
}

type Changes = EventData<'management.policy_test.updated.v1'>['changes'];

/** What a change changes. All but the name may be large: it is only named. */
function describeChanges(before: TestFields, after: TestFields): Changes {
  const fields = (Object.keys(before) as (keyof TestFields)[]).filter(
    (field) => !isDeepStrictEqual(before[field], after[field]),
  );
  const change = (field: keyof TestFields) =>
    field === 'name' ? { from: before.name, to: after.name } : { from: null, to: null };
  return Object.fromEntries(fields.map((field) => [field, change(field)]));
}

export async function updatePolicyTest(
  policy: Policy,
  { projectId, definitionId, testId, ...change }: Input<'tests', 'update'>,
  context: CallContext,
): Answer<'tests', 'update'> {
  await requireProjectAdmin(policy, projectId, context);
  const { stores } = policy;
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  if (Object.keys(given).length === 0)
    throw new AppError('INVALID_REQUEST', { message: 'At least one field to change is required' });
  const document = await untilWritten(async () => {
    const current = await getTest(policy, { projectId, definitionId, testId });
    requireVersion(context, current.version);
    const definition = await stores.definitions.get(projectId, definitionId);
    const described = await policy.connections.get(context, definition.connectionId, 'definitionId');
    const before = fieldsOf(policy, current);
    const wanted = { fields: { ...before, ...given }, stored: before.runtimeParams, described };
    const after = await checkTest(policy, wanted, context);
    const changes = describeChanges(before, after);
    if (Object.keys(changes).length === 0) return current;
    const set = toStored(policy, testPlace(current), after);
    const data = { ...testState({ ...current, name: after.name }), changes };
    const events = [
      createEvent('management.policy_test.updated.v1', testId, { origin: callOrigin(context), data }),
    ];
    return stores.tests.update(projectId, current, { set, events, now: context.now });
  });
  return { ok: true, data: { test: toTest(document) } };
}

export async function deletePolicyTest(
  policy: Policy,
  input: Input<'tests', 'delete'>,
  context: CallContext,
): Answer<'tests', 'delete'> {
  await requireProjectAdmin(policy, input.projectId, context);
  await untilWritten(async () => {
    const current = await getTest(policy, input);
    requireVersion(context, current.version);
    return (await dropTest(policy, current, callOrigin(context))) || null;
  });
  return { ok: true, data: { id: input.testId } };
}
