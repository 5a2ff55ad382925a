import { z } from 'zod';
import { rule } from '../fieldErrors.js';
import { Id, JsonObject, jsonObject, text, Timestamp } from '../vocabulary.js';
import { Compiled, CompiledStatus } from './compiledStatement.js';
import { Params, PolicyActor } from './policy.js';

/** A row of a test: at most 64 KiB of JSON. */
const SampleRow = jsonObject(65_536);

/** The expected result of a policy test. Every given field is checked. */
export const TestExpectation = z
  .strictObject({
    status: CompiledStatus.optional(),
    /** A reason's code that must be among those of a denial. */
    reason: text(1, 100).optional(),
    /** The condition of each table, by its name, compared after both were parsed and printed again. */
    conditions: z.record(text(1, 200), text(1, 10_000)).optional(),
    /** The governed tables, in any order. */
    tables: z.array(text(1, 200)).max(1000).optional(),
    /** The rows that the restricted statement returns on `sampleData`, in any order. */
    rows: z.array(SampleRow).max(1000).optional(),
  })
  .refine(
    (value) => Object.values(value).some((field) => field !== undefined),
    rule('at least one expectation is required', 'required'),
  );
export type TestExpectation = z.infer<typeof TestExpectation>;

/** Rows by table, `schema.table` where the schema is not the default one. */
export const SampleData = z.record(text(1, 400), z.array(SampleRow).max(1000));
export type SampleData = z.infer<typeof SampleData>;

export const PolicyTest = z.object({
  id: Id,
  definitionId: Id,
  name: z.string(),
  actor: PolicyActor,
  sql: z.string(),
  runtimeParams: Params.nullable(),
  sampleData: SampleData.nullable(),
  expect: TestExpectation,
  version: z.number().int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type PolicyTest = z.infer<typeof PolicyTest>;

export const PolicyTestOutcome = z.object({
  testId: Id,
  name: z.string(),
  passed: z.boolean(),
  /** The differences from the expected result, a sentence each. */
  failures: z.array(z.string()),
  compiled: Compiled.nullable(),
  rows: z.array(JsonObject).nullable(),
  /**
   * Whether the results of the run were too large: `compiled` and `rows` are null, `failures` are shortened.
   */
  isCut: z.boolean(),
});
export type PolicyTestOutcome = z.infer<typeof PolicyTestOutcome>;
