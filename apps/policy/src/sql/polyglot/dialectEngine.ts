import type { ParamValue, SqlDialect } from '@gatehouse/contract';
import type {
  Condition,
  ExpressionFault,
  Restriction,
  RestrictionRequest,
  SqlEngine,
} from '../logic/restriction.js';
import { toCondition } from './logic/analyze.js';
import { checkRule } from './logic/checkRule.js';
import { withoutExactness } from './logic/exactText.js';
import { encloseNegated } from './logic/fillParts.js';
import { describeCondition, judgeTable, traceOf, type Policies } from './logic/judgeTable.js';
import type { PolyglotDialect } from './logic/lexicon.js';
import { printExpression, printQuery } from './logic/print.js';
import {
  beginExpression,
  beginStatement,
  finishExpression,
  finishStatement,
  type Parsed,
  type Reading,
} from './logic/readText.js';
import { refuseReservedName } from './logic/reservedNames.js';
import { restrictQuery, type Restricted } from './logic/restrictQuery.js';
import { scanPrinted } from './logic/scan.js';
import type { Expression, Query } from './logic/tree.js';
import { asLiterals, asSamples, fillValues, sampleOf } from './logic/fillValues.js';
import { verifyExpression, verifyParameters, verifyRestricted } from './logic/verify.js';
import { Budget } from '../logic/bounds.js';
import { createCatalogIndexer } from '../logic/catalogIndex.js';
import { Refusal, refused } from '../logic/denials.js';
import { TableJudge } from '../logic/matchRules.js';
import { cacheTrees, type ReadTree } from './treeCache.js';

/** The names of the dialects in the parser. */
const PARSER_DIALECTS: Readonly<Record<PolyglotDialect, string>> = {
  mysql: 'mysql',
  sqlite: 'sqlite',
  duckdb: 'duckdb',
  snowflake: 'snowflake',
  bigquery: 'bigquery',
  mssql: 'tsql',
};

/**
 * The dialects whose restricted statements are verified on real engines. For the others only conditions are
 * returned.
 */
const REWRITTEN: ReadonlySet<SqlDialect> = new Set(['mysql', 'sqlite']);

/** Parses texts into trees. */
interface Parser {
  /** @param dialect the parser's name of the dialect */
  parse(text: string, dialect: string): Parsed | Promise<Parsed>;
}

/** The engine of every dialect except PostgreSQL's. */
export class PolyglotEngine implements SqlEngine {
  readonly #parser: Parser;
  readonly #indexCatalog = createCatalogIndexer();
  readonly #readRule: ReadTree<Expression | Refusal, PolyglotDialect>;
  readonly #readTree: ReadTree<Query | Refusal, PolyglotDialect>;

  /** @param cachedCharactersMax the size of the cached rules, and that of the cached statements, as text */
  constructor(parser: Parser, cachedCharactersMax = 256 * 1024) {
    this.#parser = parser;
    this.#readRule = cacheTrees((text, dialect) => this.#parseRule(text, dialect), cachedCharactersMax);
    this.#readTree = cacheTrees((text, dialect) => this.#parseStatement(text, dialect), cachedCharactersMax);
  }

  async checkExpression(expression: string, dialect: SqlDialect): Promise<ExpressionFault | null> {
    const tree = await this.#readRule(expression, ownDialect(dialect));
    if (!(tree instanceof Refusal)) return null;
    return { message: tree.reason.message, position: tree.reason.position ?? null };
  }

  async analyzeExpression(expression: string, dialect: SqlDialect): Promise<Condition | null> {
    const tree = await this.#readRule(expression, ownDialect(dialect));
    return tree instanceof Refusal ? null : toCondition(tree);
  }

  async printExpression(
    expression: string,
    values: Readonly<Record<string, ParamValue>>,
    dialect: SqlDialect,
  ): Promise<string | null> {
    const tree = await this.#readRule(expression, ownDialect(dialect));
    if (tree instanceof Refusal) return null;
    const own = ownDialect(dialect);
    return orRefusal(
      () => printExpression(encloseNegated(withoutExactness(fillValues(tree, values), own)), own),
      () => null,
    );
  }

  async restrict(request: RestrictionRequest): Promise<Restriction> {
    try {
      const policies = await this.#preparePolicies(request);
      return request.sql === null
        ? await this.#restrictEntities(request, policies)
        : await this.#restrictStatement(request.sql, policies);
    } catch (error) {
      if (error instanceof Refusal) return refused([error.reason]);
      throw error;
    }
  }

  async #preparePolicies(request: RestrictionRequest): Promise<Policies> {
    const dialect = ownDialect(request.dialect);
    const { catalog, isGoverned, pinnedSchema, allowedSchemas, rules, rowBarrier } = request;
    const trees = new Map<string, Expression | Refusal>();
    for (const { expression } of rules) {
      if (!trees.has(expression)) trees.set(expression, await this.#readRule(expression, dialect));
    }
    const budget = new Budget();
    return {
      dialect,
      index: this.#indexCatalog(catalog, dialect),
      isGoverned,
      pinnedSchema,
      allowedSchemas,
      rules,
      trees,
      rowBarrier,
      budget,
      judge: new TableJudge(rules, dialect, budget),
      conditions: new Map(),
    };
  }

  async #restrictEntities({ entities }: RestrictionRequest, policies: Policies): Promise<Restriction> {
    const { dialect } = policies;
    const restricted: Answerable = { conditions: [], trace: [] };
    for (const { table, schema = null, database = null, alias = null } of entities) {
      const judgement = judgeTable({ database, schema, table }, policies);
      restricted.trace.push(traceOf(judgement, policies.budget));
      const name = alias ?? judgement.name.table;
      // A table of the rule's own queries would be found under this name instead.
      refuseReservedName({ text: name, isQuoted: true });
      const condition = judgement.conditionFor(name);
      if (condition === null) continue;
      await this.#proveCondition(condition, dialect);
      restricted.conditions.push(describeCondition(judgement, { alias, condition, policies }));
    }
    return conditionsOnly(restricted);
  }

  async #restrictStatement(sql: string, policies: Policies): Promise<Restriction> {
    const restricted = restrictQuery(await this.#readStatement(sql, policies.dialect), policies);
    if (!REWRITTEN.has(policies.dialect)) {
      for (const condition of restricted.expressions) await this.#proveCondition(condition, policies.dialect);
      return conditionsOnly(restricted);
    }
    return this.#printProven(restricted, policies);
  }

  /**
   * Prints a restricted statement and verifies it. The form that is parsed again contains samples in place of
   * the values, which the parser does not interpret. So that form is the same for every actor and parsed
   * once. The returned forms are compared with it word by word.
   */
  async #printProven(restricted: Restricted, policies: Policies): Promise<Restriction> {
    const { dialect } = policies;
    const { query, conditions, trace } = restricted;
    const sample = printQuery(asSamples(query), dialect, 'literals').sql;
    verifyRestricted(query, await this.#readStatement(sample, dialect), policies);
    const { sql, parameters } = printQuery(query, dialect, 'parameters');
    const inlineSql = printQuery(query, dialect, 'literals').sql;
    policies.budget.spendPrinted(sql.length + inlineSql.length);
    const words = scanPrinted(sql, dialect);
    verifyParameters(words, scanPrinted(sample, dialect), parameters.map(sampleOf));
    verifyParameters(words, scanPrinted(inlineSql, dialect), parameters);
    return { status: 'compiled', sql, parameters, inlineSql, conditions, reasons: [], trace };
  }

  async #proveCondition(condition: Expression, dialect: PolyglotDialect): Promise<void> {
    const printed = printExpression(condition, dialect);
    // Parsed as a statement, in which no text is a placeholder.
    const { body } = await this.#readStatement(`SELECT ${printed}`, dialect);
    const [item] = body.kind === 'select' ? body.items : [];
    verifyExpression(asLiterals(condition), item?.expression);
  }

  async #readStatement(sql: string, dialect: PolyglotDialect): Promise<Query> {
    const tree = await this.#readTree(sql, dialect);
    if (tree instanceof Refusal) throw tree;
    return tree;
  }

  async #parseStatement(sql: string, dialect: PolyglotDialect): Promise<Query> {
    const reading = beginStatement(sql, dialect);
    return finishStatement(reading, await this.#parse(reading));
  }

  async #parseRule(expression: string, dialect: PolyglotDialect): Promise<Expression> {
    const reading = beginExpression(expression, dialect);
    const tree = finishExpression(reading, await this.#parse(reading));
    checkRule(tree, dialect);
    return tree;
  }

  async #parse({ text, dialect }: Reading): Promise<Parsed> {
    return this.#parser.parse(text, PARSER_DIALECTS[dialect]);
  }
}

type Answerable = Pick<Restricted, 'conditions' | 'trace'>;

function conditionsOnly({ conditions, trace }: Answerable): Restriction {
  return {
    status: 'conditions_only',
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
