import { z } from 'zod';
import { SqlDialect } from '../records/catalog.js';
import { CompiledStatement } from '../records/compiledStatement.js';
import { Params, PolicyActor } from '../records/policy.js';
import { Id } from '../vocabulary.js';
import { compilerToo, question } from './procedure.js';

/** The longest statement that is compiled, in UTF-16 units. */
const SQL_MAX = 1_048_576;
/** Any text: one that is no statement of the dialect is answered as `invalid_sql`. */
export const SqlText = z.string().min(1).max(SQL_MAX);

/** The most statements of one request. */
const STATEMENTS_MAX = 100;

const Compiled = z.object({ dialect: SqlDialect, results: z.array(CompiledStatement) });

export const statements = {
  /**
   * Restricts statements by the policies of one actor: the bearer of the token, or, with a token of the scope
   * `sql:compile`, the named one. A refused statement is a normal result.
   */
  compile: compilerToo(
    question(
      z.strictObject({
        connectionId: Id,
        statements: z
          .array(z.strictObject({ sql: SqlText }))
          .min(1)
          .max(STATEMENTS_MAX),
        actor: PolicyActor.optional(),
        runtimeParams: Params.optional(),
      }),
      z.object({ ok: z.literal(true), data: Compiled }),
    ),
  ),
};
