import type { ParamValue } from '@gatehouse/contract';
import type { SqlEngine } from '../../logic/restriction.js';
import { Refusal } from '../../logic/denials.js';
import { analyzeCondition } from './analyzeCondition.js';
import { bindValues } from './bindValues.js';
import { recall, RuleCompiler, type Memory } from './ruleConditions.js';
import { loadParser } from './parser.js';
import { printNode } from './printSelect.js';
import { restrictEntities } from './restrictEntities.js';
import { restrictStatement } from './restrictStatement.js';
import { parseRule, type RuleOrFault } from './ruleExpression.js';
import { verifyCondition } from './verifyPrinted.js';

/** The PostgreSQL engine, based on PostgreSQL's own grammar. */
export async function createPostgresEngine(memory: Memory): Promise<SqlEngine> {
  await loadParser();
  const parse = (expression: string) => recall(memory.rules, expression, () => parseRule(expression));
  return {
    checkExpression: async (expression) => parse(expression).fault ?? null,
    analyzeExpression: async (expression) => {
      const rule = parse(expression);
      return rule.fault ? null : analyzeCondition(rule);
    },
    restrict: async (request) =>
      request.sql === null
        ? restrictEntities(request, new RuleCompiler(request, memory))
        : restrictStatement(request.sql, request, new RuleCompiler(request, memory)),
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
