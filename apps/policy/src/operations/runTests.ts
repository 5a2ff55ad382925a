import {
  AppError,
  type Compiled,
  type PolicyTestOutcome,
  type SampleData,
  type TestExpectation,
} from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { DefinitionFacts } from '../logic/model.js';
import { defaultSchemaOf, findSampleTables } from '../logic/sampleTables.js';
import { expressionsOf, judgeTest, type TestResult } from '../logic/testExpectation.js';
import type { Answer, Input, Policy } from '../policy.js';
import type { SampleOutcome } from '../sampleDatabase.js';
import type { DefinitionDocument, TestDocument } from '../store/documents.js';
import { makePreview } from './compile.js';
import type { DescribedConnection } from './connections.js';
import { orUnavailable } from './definitionChecks.js';
import { refuseFaults, requireProjectAdmin } from './refusals.js';
import { resolveFor } from './resolution.js';
import { testParamsOf } from './storedFacts.js';

/** What tests run against: a definition, as it is stored or as it would be after a change. */
interface Tested {
  document: DefinitionDocument;
  /** In place of the stored definition. */
  definition?: DefinitionFacts;
  described: DescribedConnection;
}

async function compileTest(
  policy: Policy,
  test: TestDocument,
  { document, definition, context }: Tested & { context: CallContext },
): Promise<Compiled> {
  const { projectId, connectionId } = document;
  const question = {
    actor: test.actor,
    runtimeParams: testParamsOf(policy, test),
    ignorePersistedAssignments: false,
  };
  const asked = {
    ground: { projectId, connectionId },
    question,
    path: '',
    actorPath: 'actor',
    ...(definition ? { drafts: new Map([[definition.id, definition]]) } : {}),
  };
  const resolution = await resolveFor(policy, asked, context);
  return (await makePreview(policy, resolution, { sql: test.sql })).compiled;
}

/** The rows of the restricted statement, where the test expects some and there is a statement to run. */
async function readRows(
  policy: Policy,
  { inlineSql }: Compiled,
  { test, described: { catalog } }: { test: TestDocument; described: DescribedConnection },
): Promise<SampleOutcome | null> {
  const expectation = JSON.parse(test.expectation) as TestExpectation;
  if (expectation.rows === undefined || inlineSql === null || catalog === null) return null;
  const sampleData = JSON.parse(test.sampleData ?? '{}') as SampleData;
  const { tables, faults } = findSampleTables(catalog, sampleData);
  const [fault] = faults;
  if (fault) return { failure: `sampleData.${fault.path} ${fault.message}.` };
  return policy.samples.run({ tables, sql: inlineSql, defaultSchema: defaultSchemaOf(catalog) });
}

async function judge(
  { engineOf }: Policy,
  { expectation, result }: { expectation: TestExpectation; result: TestResult },
): Promise<string[]> {
  const { dialect } = result.compiled;
  const printed = expressionsOf(expectation, result).map(async (expression) => {
    const text = await orUnavailable(engineOf(dialect).printExpression(expression, {}, dialect));
    return [expression, text] as const;
  });
  return judgeTest(expectation, result, new Map(await Promise.all(printed)));
}

/** A sentence for each thing that the request of a test has become wrong about, such as an actor who is gone. */
function faultsOf(error: unknown): string[] {
  if (!(error instanceof AppError) || error.code !== 'INVALID_REQUEST') throw error;
  return (error.fieldErrors ?? []).map(({ field, message }) => `${field} ${message}.`);
}

async function runTest(
  policy: Policy,
  test: TestDocument,
  tested: Tested & { context: CallContext },
): Promise<PolicyTestOutcome> {
  const { _id: testId, name } = test;
  try {
    const compiled = await compileTest(policy, test, tested);
    const outcome = await readRows(policy, compiled, { test, described: tested.described });
    const rows = outcome?.rows ?? null;
    const expectation = JSON.parse(test.expectation) as TestExpectation;
    const failures = await judge(policy, { expectation, result: { compiled, rows } });
    const all = outcome?.failure === undefined ? failures : [outcome.failure, ...failures];
    return { testId, name, passed: all.length === 0, failures: all, compiled, rows };
  } catch (error) {
    return { testId, name, passed: false, failures: faultsOf(error), compiled: null, rows: null };
  }
}

async function runAll(policy: Policy, tested: Tested, context: CallContext): Promise<PolicyTestOutcome[]> {
  const { projectId, _id: id } = tested.document;
  const outcomes: PolicyTestOutcome[] = [];
  for (const test of await policy.stores.tests.listOfDefinition(projectId, id)) {
    outcomes.push(await runTest(policy, test, { ...tested, context }));
  }
  return outcomes;
}

/** Throws INVALID_REQUEST that names each stored test which fails against a definition that is not saved. */
export async function refuseFailingTests(
  policy: Policy,
  tested: Tested,
  context: CallContext,
): Promise<void> {
  const outcomes = await runAll(policy, tested, context);
  const failing = outcomes.filter(({ passed }) => !passed);
  refuseFaults(
    failing.map(({ name, failures }) => ({
      field: 'runTests',
      message: `the test "${name}" fails: ${failures.join(' ')}`,
    })),
  );
}

/** Runs the tests of a definition. A test that fails is an answer. */
export async function runPolicyTests(
  policy: Policy,
  { projectId, definitionId }: Input<'tests', 'run'>,
  context: CallContext,
): Answer<'tests', 'run'> {
  await requireProjectAdmin(policy, projectId, context);
  const document = await policy.stores.definitions.get(projectId, definitionId);
  const described = await policy.connections.get(context, document.connectionId, 'definitionId');
  const outcomes = await runAll(policy, { document, described }, context);
  const passed = outcomes.filter((outcome) => outcome.passed).length;
  return { ok: true, data: { passed, failed: outcomes.length - passed, outcomes } };
}
