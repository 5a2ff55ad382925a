import type { ParamValue, SqlDialect } from '@gatehouse/contract';
import type {
  Condition,
  ExpressionFault,
  Restriction,
  RestrictionRequest,
  SqlEngine,
} from '../logic/model.js';
import { toCondition } from '../logic/polyglot/analyze.js';
import { checkRule } from '../logic/polyglot/checkRule.js';
import type { PolyglotDialect } from '../logic/polyglot/lexicon.js';
import { printExpression, printQuery } from '../logic/polyglot/print.js';
import {
  beginExpression,
  beginStatement,
  finishExpression,
  finishStatement,
  type Parsed,
  type Reading,
} from '../logic/polyglot/read.js';
import {
  describeCondition,
  judgeTable,
  restrictQuery,
  traceOf,
  type Policies,
  type Restricted,
} from '../logic/polyglot/restrict.js';
import { scanPrinted } from '../logic/polyglot/scan.js';
import type { Expression, Query } from '../logic/polyglot/tree.js';
import { asLiterals, asSamples, fillValues, sampleOf } from '../logic/polyglot/values.js';
import { verifyExpression, verifyParameters, verifyRestricted } from '../logic/polyglot/verify.js';
import { indexCatalog } from '../logic/sql/catalogIndex.js';
import { Refusal, refused } from '../logic/sql/denials.js';
import type { ParserThread } from './parserThread.js';
import { TreeCache } from './treeCache.js';

/** What the parser calls the dialects. */
const PARSER_DIALECTS: Readonly<Record<PolyglotDialect, string>> = {
  mysql: 'mysql',
  sqlite: 'sqlite',
  duckdb: 'duckdb',
  snowflake: 'snowflake',
  bigquery: 'bigquery',
  mssql: 'tsql',
};

/** The dialects whose restricted statements are proven on real engines; of the others only the conditions are given. */
const REWRITTEN: ReadonlySet<SqlDialect> = new Set(['mysql', 'sqlite']);

/** Restricts statements of every dialect but PostgreSQL's. */
export class PolyglotEngine implements SqlEngine {
  private readonly rules = new TreeCache<Expression>();
  private readonly statements = new TreeCache<Query>();

  constructor(private readonly parser: ParserThread) {}

  async checkExpression(expression: string, dialect: SqlDialect): Promise<ExpressionFault | null> {
    const tree = await this.readRule(expression, ownDialect(dialect));
    if (!(tree instanceof Refusal)) return null;
    return { message: tree.reason.message, position: tree.reason.position ?? null };
  }

  async analyzeExpression(expression: string, dialect: SqlDialect): Promise<Condition | null> {
    const tree = await this.readRule(expression, ownDialect(dialect));
    return tree instanceof Refusal ? null : toCondition(tree);
  }

  async printExpression(
    expression: string,
    values: Readonly<Record<string, ParamValue>>,
    dialect: SqlDialect,
  ): Promise<string | null> {
    const tree = await this.readRule(expression, ownDialect(dialect));
    if (tree instanceof Refusal) return null;
    return orRefusal(
      () => printExpression(fillValues(tree, values), ownDialect(dialect)),
      () => null,
    );
  }

  async restrict(request: RestrictionRequest): Promise<Restriction> {
    try {
      const policies = await this.preparePolicies(request);
      return request.sql === null
        ? await this.restrictEntities(request, policies)
        : await this.restrictStatement(request.sql, policies);
    } catch (error) {
      if (error instanceof Refusal) return refused([error.reason]);
      throw error;
    }
  }

  private async preparePolicies(request: RestrictionRequest): Promise<Policies> {
    const dialect = ownDialect(request.dialect);
    const { catalog, pinnedSchema, allowedSchemas, rules, rowBarrier } = request;
    const trees = new Map<string, Expression | Refusal>();
    for (const { expression } of rules) {
      if (!trees.has(expression)) trees.set(expression, await this.readRule(expression, dialect));
    }
    return {
      dialect,
      index: indexCatalog(catalog, dialect),
      pinnedSchema,
      allowedSchemas,
      rules,
      trees,
      rowBarrier,
    };
  }

  private async restrictEntities({ entities }: RestrictionRequest, policies: Policies): Promise<Restriction> {
    const { dialect } = policies;
    const restricted: Answerable = { conditions: [], trace: [] };
    for (const { table, schema = null, database = null, alias = null } of entities) {
      const judgement = judgeTable({ database, schema, table }, policies);
      restricted.trace.push(traceOf(judgement));
      const condition = judgement.conditionFor(alias);
      if (condition === null) continue;
      await this.proveCondition(condition, dialect);
      restricted.conditions.push(describeCondition(judgement, { alias, condition, dialect }));
    }
    return conditionsOnly(restricted, REWRITTEN.has(dialect) ? 'not_requested' : 'conditions_only');
  }

  private async restrictStatement(sql: string, policies: Policies): Promise<Restriction> {
    const restricted = restrictQuery(await this.readStatement(sql, policies.dialect), policies);
    if (!REWRITTEN.has(policies.dialect)) {
      for (const condition of restricted.expressions) await this.proveCondition(condition, policies.dialect);
      return conditionsOnly(restricted, 'conditions_only');
    }
    return this.printProven(restricted, policies);
  }

  /**
   * Prints a restricted statement and proves it. The form that is read again has samples for the values, which are opaque to
   * the parser in any case: so it is the same for every actor, and read once. The forms that are answered are compared with it
   * word by word.
   */
  private async printProven(restricted: Restricted, policies: Policies): Promise<Restriction> {
    const { dialect } = policies;
    const { query, conditions, trace } = restricted;
    const sample = printQuery(asSamples(query), dialect, 'literals').sql;
    verifyRestricted(query, await this.readStatement(sample, dialect), policies);
    const { sql, parameters } = printQuery(query, dialect, 'parameters');
    const inlineSql = printQuery(query, dialect, 'literals').sql;
    const words = scanPrinted(sql, dialect);
    verifyParameters(words, scanPrinted(sample, dialect), parameters.map(sampleOf));
    verifyParameters(words, scanPrinted(inlineSql, dialect), parameters);
    return { status: 'compiled', sql, parameters, inlineSql, conditions, reasons: [], trace };
  }

  private async proveCondition(condition: Expression, dialect: PolyglotDialect): Promise<void> {
    const printed = printExpression(condition, dialect);
    // Read as a statement, in which no text is taken for a placeholder.
    const { body } = await this.readStatement(`SELECT ${printed}`, dialect);
    const [item] = body.kind === 'select' ? body.items : [];
    verifyExpression(asLiterals(condition), item?.expression);
  }

  private async readStatement(sql: string, dialect: PolyglotDialect): Promise<Query> {
    const tree = await this.statements.get(sql, dialect, async () => {
      const reading = beginStatement(sql, dialect);
      return finishStatement(reading, await this.parse(reading));
    });
    if (tree instanceof Refusal) throw tree;
    return tree;
  }

  private async readExpression(expression: string, dialect: PolyglotDialect): Promise<Expression> {
    const reading = beginExpression(expression, dialect);
    return finishExpression(reading, await this.parse(reading));
  }

  private readRule(expression: string, dialect: PolyglotDialect): Promise<Expression | Refusal> {
    return this.rules.get(expression, dialect, async () => {
      const tree = await this.readExpression(expression, dialect);
      checkRule(tree, dialect);
      return tree;
    });
  }

  private parse({ text, dialect }: Reading): Promise<Parsed> {
    return this.parser.parse(text, PARSER_DIALECTS[dialect]);
  }
}

type Answerable = Pick<Restricted, 'conditions' | 'trace'>;

function conditionsOnly({ conditions, trace }: Answerable, status: Restriction['status']): Restriction {
  return {
    status,
    sql: null,
    parameters: [],
    inlineSql: null,
    conditions,
    reasons: [],
    trace,
  };
}

function ownDialect(dialect: SqlDialect): PolyglotDialect {
  if (dialect === 'postgres') throw new Error('PostgreSQL has an engine of its own');
  return dialect;
}

function orRefusal<T, R>(make: () => T, answer: (refusal: Refusal) => R): T | R {
  try {
    return make();
  } catch (error) {
    if (error instanceof Refusal) return answer(error);
    throw error;
  }
}
