import type { FieldError, Params, PolicyActor, SampleData, TestExpectation } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { getActorFacts } from '../actors/findActors.js';
import { refuseFaults } from '../admission/refusals.js';
import type { DescribedConnection } from '../connections/findConnections.js';
import { findParamFaults } from '../definitions/checkConfigs.js';
import type { Dependencies } from '../dependencies.js';
import { restoreParamSecrets } from '../secrets/restoreSecrets.js';
import { sealParams, type Place, testParamsOf } from '../secrets/sealing.js';
import { nameFields, type TestDocument } from '../store/documents.js';
import { findSampleTables } from './logic/sampleTables.js';
import { toTest } from './readTests.js';

/** The fields of a test that a caller sets, secret values included. */
export interface TestFields {
  name: string;
  actor: PolicyActor;
  sql: string;
  runtimeParams: Params | null;
  sampleData: SampleData | null;
  expect: TestExpectation;
}

/** The fields of a stored test, secret values included. */
export function fieldsOf({ sealer }: Dependencies, document: TestDocument): TestFields {
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
      code: 'conflict',
    });
  if (expect.rows !== undefined && sampleData === null)
    faults.push({ field: 'sampleData', message: 'is required with expect.rows', code: 'required' });
  if (sampleData === null || catalog === null) return faults;
  const found = findSampleTables(catalog, sampleData).faults;
  return [...faults, ...found.map(({ path, message }) => ({ field: `sampleData.${path}`, message }))];
}

/**
 * Checks a test. A `***` in its values keeps the value of `stored`.
 * @throws INVALID_REQUEST with every fault
 */
export async function checkTest(
  deps: Dependencies,
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
  const { kept, faults } = restoreParamSecrets(runtimeParams ?? {}, stored ?? {}, 'runtimeParams');
  const paramFaults = findParamFaults(runtimeParams ?? {}, 'runtimeParams');
  refuseFaults([...sampleFaults(fields, described), ...paramFaults, ...faults]);
  await getActorFacts(deps, { actor: fields.actor, path: 'actor.' }, context);
  if (fields.expect.rows !== undefined) deps.samples.warmUp();
  return { ...fields, runtimeParams: runtimeParams && kept };
}

/** The fields as they are stored, with secret values sealed. */
export function toStored({ sealer }: Dependencies, place: Place, fields: TestFields) {
  const { name, actor, sql, runtimeParams, sampleData, expect } = fields;
  return {
    ...nameFields(name),
    actor,
    sql,
    runtimeParams: runtimeParams && sealParams(sealer, place, runtimeParams),
    sampleData: sampleData && JSON.stringify(sampleData),
    expectation: JSON.stringify(expect),
  };
}
