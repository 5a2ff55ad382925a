import type { ParamValue } from '@gatehouse/contract';
import type { SqlEngine } from '../model.js';
import { Refusal } from '../sql/denials.js';
import { analyzeCondition } from './analyzeCondition.js';
import { bindValues } from './bindValues.js';
import { loadParser } from './parser.js';
import { printNode } from './printSelect.js';
import { restrictEntities } from './restrictEntities.js';
import { restrictStatement } from './restrictStatement.js';
import { parseRule, type RuleOrFault } from './ruleExpression.js';
import { verifyCondition } from './verifyPrinted.js';

/** How many rules are kept parsed, the longest unused ones leaving first. */
const RULES_MAX = 2000;

/** The engine of PostgreSQL, on PostgreSQL's own grammar. */
export async function createPostgresEngine(): Promise<SqlEngine> {
  await loadParser();
  const parse = remember(parseRule, RULES_MAX);
  return {
    checkExpression: async (expression) => parse(expression).fault ?? null,
    analyzeExpression: async (expression) => {
      const rule = parse(expression);
      return rule.fault ? null : analyzeCondition(rule);
    },
    restrict: async (request) =>
      request.sql === null
        ? restrictEntities(request, parse)
        : restrictStatement(request.sql, request, parse),
    printExpression: async (expression, values) => printRule(parse(expression), values),
  };
}

function printRule(rule: RuleOrFault, values: Readonly<Record<string, ParamValue>>): string | null {
  if (rule.fault) return null;
  try {
    const binding = { names: rule.names, values: new Map(Object.entries(values)), addParameter: null };
    const node = bindValues(rule.node, binding);
    const text = printNode(node);
    verifyCondition(text, node);
    return text;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** A function of a text that keeps its last answers. The answers are shared, and so never changed. */
function remember<T>(answerTo: (text: string) => T, entriesMax: number): (text: string) => T {
  const answers = new Map<string, T>();
  return (text) => {
    const answer = answers.get(text) ?? answerTo(text);
    answers.delete(text);
    answers.set(text, answer);
    const [oldest] = answers.keys();
    if (answers.size > entriesMax && oldest !== undefined) answers.delete(oldest);
    return answer;
  };
}
