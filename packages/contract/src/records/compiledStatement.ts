import { z } from 'zod';
import { SqlDialect } from './catalog.js';

export const COMPILED_STATUSES = [
  'not_requested',
  'compiled',
  'conditions_only',
  'denied',
  'invalid_sql',
] as const;
export const CompiledStatus = z.enum(COMPILED_STATUSES);
export type CompiledStatus = z.infer<typeof CompiledStatus>;

/** The condition of one reference to a governed table. */
export const CompiledCondition = z.object({
  table: z.string(),
  alias: z.string().nullable(),
  schema: z.string().nullable(),
  /** With literals, in the dialect of the connection. */
  expression: z.string(),
  /** The names of its rules. */
  rules: z.array(z.string()),
});
export type CompiledCondition = z.infer<typeof CompiledCondition>;

export const CompiledReason = z.object({
  /** A stable code for programs, such as `MISSING_VALUE`. */
  code: z.string(),
  message: z.string(),
  /** The rule that it is about. */
  rule: z.string().nullable().optional(),
  /** Where in the statement, in UTF-16 units from its start. */
  position: z.number().int().nullable().optional(),
});
export type CompiledReason = z.infer<typeof CompiledReason>;

/** The values of `sql`, in order; an array is one element. */
const Parameters = z.array(z.unknown());
const CompiledParts = {
  conditions: z.array(CompiledCondition),
  reasons: z.array(CompiledReason),
};

export const Compiled = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('compiled'),
    dialect: SqlDialect,
    /** The restricted statement with placeholders for values. */
    sql: z.string(),
    parameters: Parameters,
    /** The same statement with literals. */
    inlineSql: z.string(),
    ...CompiledParts,
  }),
  z.object({
    status: CompiledStatus.exclude(['compiled']),
    dialect: SqlDialect,
    sql: z.null(),
    parameters: Parameters,
    inlineSql: z.null(),
    ...CompiledParts,
  }),
]);
export type Compiled = z.infer<typeof Compiled>;

const Refused = {
  sql: z.null(),
  parameters: z.array(z.unknown()).max(0),
  reasons: z.array(CompiledReason).min(1),
};

/** A statement as the policies of an actor restrict it, or the reasons why it may not run. */
export const CompiledStatement = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('compiled'),
    /** The restricted statement with placeholders for values. */
    sql: z.string(),
    /** The values of `sql`, in order; an array is one element. */
    parameters: z.array(z.unknown()),
    reasons: z.array(CompiledReason).max(0),
  }),
  z.object({ status: z.literal('denied'), ...Refused }),
  z.object({ status: z.literal('invalid_sql'), ...Refused }),
]);
export type CompiledStatement = z.infer<typeof CompiledStatement>;
