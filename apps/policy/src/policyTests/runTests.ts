import {
  type Compiled,
  type PolicyTestOutcome,
  type SampleData,
  type TestExpectation,
} from '@gatehouse/contract';
import { type CallContext, findAppError } from '@gatehouse/service';
import { getActorFacts } from '../actors/findActors.js';
import type { DefinitionFacts } from '../preview/logic/facts.js';
import { defaultSchemaOf, findSampleTables } from './logic/sampleTables.js';
import { expressionsOf, judgeTest, type TestResult } from './logic/judgeTest.js';
import { BoundedOutcomes } from './logic/boundOutcomes.js';
import type { Result, Input, Dependencies } from '../dependencies.js';
import type { SampleOutcome } from './sampleThread.js';
import type { DefinitionDocument, TestDocument, TestHead } from '../store/documents.js';
import { makePreview } from '../preview/makePreview.js';
import type { DescribedConnection } from '../connections/findConnections.js';
import { refuseFaults, requireProjectAdmin } from '../admission/refusals.js';
import { resolveFor } from '../preview/resolveForActor.js';
import { testParamsOf } from '../secrets/sealing.js';

/** The time limit of one run, below the time limit of a call. */
const RUN_TIME_MS = 8000;
const FAILING_CHARACTERS = 1000;

/** The definition to test, as it is stored or with a draft of an update. */
interface Tested {
  document: DefinitionDocument;
  /** Replaces the stored definition. */
  definition?: DefinitionFacts;
  described: DescribedConnection;
}

/** The end of a run. The time in which it waits for a sample database does not count. */
interface Clock {
  endMs: number;
}

async function compileTest(
  deps: Dependencies,
  test: TestDocument,
  { document, definition, context }: Tested & { context: CallContext },
): Promise<Compiled> {
  const { projectId, connectionId } = document;
  const options = {
    runtimeParams: testParamsOf(deps, test),
    ignorePersistedAssignments: false,
  };
  const input = {
    target: { projectId, connectionId },
    findActor: () => getActorFacts(deps, { actor: test.actor, path: 'actor.' }, context),
    options,
    path: '',
    ...(definition ? { drafts: new Map([[definition.id, definition]]) } : {}),
  };
  const resolution = await resolveFor(deps, input, context);
  return (await makePreview(deps, resolution, { sql: test.sql })).compiled;
}

/** Runs the restricted statement on the sample rows, if the test expects rows and there is a statement. */
async function readRows(
  deps: Dependencies,
  { inlineSql }: Compiled,
  { test, described: { catalog, organizationId }, clock }: Tested & { test: TestDocument; clock: Clock },
): Promise<SampleOutcome | null> {
  const expectation = JSON.parse(test.expectation) as TestExpectation;
  if (expectation.rows === undefined || inlineSql === null || catalog === null) return null;
  const sampleData = JSON.parse(test.sampleData ?? '{}') as SampleData;
  const { tables, faults } = findSampleTables(catalog, sampleData);
  const [fault] = faults;
  if (fault) return { failure: `sampleData.${fault.path} ${fault.message}.`, elapsedMs: 0 };
  const run = { tables, sql: inlineSql, defaultSchema: defaultSchemaOf(catalog) };
  const beganMs = performance.now();
  const outcome = await deps.samples.run(organizationId, run);
  clock.endMs += performance.now() - beganMs - outcome.elapsedMs;
  return outcome;
}

async function judge(
  { engineOf }: Dependencies,
  {
    expectation,
    result,
    organizationId,
  }: { expectation: TestExpectation; result: TestResult; organizationId: string },
): Promise<string[]> {
  const { dialect } = result.compiled;
  const engine = engineOf(organizationId);
  const printed = expressionsOf(expectation, result).map(async (expression) => {
    const text = await engine.printExpression(expression, {}, dialect);
    return [expression, text] as const;
  });
  return judgeTest(expectation, result, new Map(await Promise.all(printed)));
}

/** One sentence for each fault of a test that has become invalid, such as a deleted actor. */
function faultsOf(error: unknown): string[] {
  const known = findAppError(error);
  if (known?.code !== 'INVALID_REQUEST') throw error;
  return (known.fieldErrors ?? []).map(({ field, message }) => `${field} ${message}.`);
}

async function runTest(
  deps: Dependencies,
  test: TestDocument,
  tested: Tested & { context: CallContext; clock: Clock },
): Promise<PolicyTestOutcome> {
  const { _id: testId, name } = test;
  try {
    const compiled = await compileTest(deps, test, tested);
    const outcome = await readRows(deps, compiled, { test, ...tested });
    const rows = outcome?.rows ?? null;
    const expectation = JSON.parse(test.expectation) as TestExpectation;
    const { organizationId } = tested.described;
    const failures = await judge(deps, { expectation, result: { compiled, rows }, organizationId });
    const all = outcome?.failure === undefined ? failures : [outcome.failure, ...failures];
    return { testId, name, passed: all.length === 0, failures: all, compiled, rows, isCut: false };
  } catch (error) {
    return failed(test, faultsOf(error));
  }
}

function failed({ _id: testId, name }: TestHead, failures: string[]): PolicyTestOutcome {
  return { testId, name, passed: false, failures, compiled: null, rows: null, isCut: false };
}

/** Runs the tests in sequence, and reads each on its turn. Those that exceed the time of the run fail. */
async function runAll(
  deps: Dependencies,
  tested: Tested,
  context: CallContext,
): Promise<PolicyTestOutcome[]> {
  const { projectId, _id: id } = tested.document;
  const { tests } = deps.stores;
  const results = new BoundedOutcomes();
  const clock = { endMs: performance.now() + RUN_TIME_MS };
  for (const head of await tests.listHeads(projectId, id)) {
    if (performance.now() >= clock.endMs) {
      results.add(
        failed(head, [`The test was not run: those before it took ${RUN_TIME_MS / 1000} seconds.`]),
      );
      continue;
    }
    const test = await tests.find(projectId, head._id);
    if (test !== null) results.add(await runTest(deps, test, { ...tested, context, clock }));
  }
  return results.outcomes;
}

/** @throws INVALID_REQUEST naming each stored test that fails with a draft of a definition */
export async function refuseFailingTests(
  deps: Dependencies,
  tested: Tested,
  context: CallContext,
): Promise<void> {
  const outcomes = await runAll(deps, tested, context);
  const failing = outcomes.filter(({ passed }) => !passed);
  refuseFaults(
    failing.map(({ name, failures }) => ({
      field: 'runTests',
      message: `the test "${name}" fails: ${failures.join(' ').slice(0, FAILING_CHARACTERS).toWellFormed()}`,
    })),
  );
}

/** Runs the tests of a definition. A failing test is not an error. */
export async function runPolicyTests(
  deps: Dependencies,
  { projectId, definitionId }: Input<'tests', 'run'>,
  context: CallContext,
): Result<'tests', 'run'> {
  await requireProjectAdmin(deps, projectId, context);
  const document = await deps.stores.definitions.get(projectId, definitionId);
  const described = await deps.connections.get(context, document.connectionId, 'definitionId');
  const outcomes = await runAll(deps, { document, described }, context);
  const passed = outcomes.filter((outcome) => outcome.passed).length;
  return { ok: true, data: { passed, failed: outcomes.length - passed, outcomes } };
}
