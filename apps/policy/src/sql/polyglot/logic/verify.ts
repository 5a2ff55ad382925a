import type { Token } from './scan.js';
import { judgeTable, type Policies } from './judgeTable.js';
import { refuse } from './refuse.js';
import { GOVERNED } from './reservedNames.js';
import { selectAll } from './selectAll.js';
import { tablePathOf } from './tables.js';
import type { DerivedTable, Expression, Query, TableReference } from './tree.js';
import { asLiterals, asSamples } from './fillValues.js';
import { isSameTree, walkTree } from './walk.js';

function refuseDifference(): never {
  return refuse('NOT_VERIFIED', 'what was printed is not what was analysed');
}

/**
 * Verifies a restricted statement as it was parsed from its printed form with sample values. It must be the
 * printed tree, and every table in it must be ungoverned or under its exact condition.
 * @throws Refusal for any difference
 */
export function verifyRestricted(printed: Query, reread: Query, policies: Policies): void {
  if (!isSameTree(asLiterals(asSamples(printed)), reread)) refuseDifference();
  const commonTables = commonTableNames(reread);
  walkTree(reread, (node) => {
    if (node.kind === 'derived') return isRestriction(node, policies) ? 'skip' : undefined;
    if (node.kind === 'table' && !isFree(node, commonTables, policies)) refuseDifference();
    return undefined;
  });
}

/** @throws Refusal if an expression differs from the one parsed from its printed form */
export function verifyExpression(printed: Expression, reread: Expression | undefined): void {
  if (!isSameTree(printed, reread)) refuseDifference();
}

/** The names of all common tables in a tree. */
function commonTableNames(query: Query): ReadonlySet<string> {
  const names = new Set<string>();
  const collect = (each: Query): void =>
    each.commonTables.forEach(({ name, query: own }) => {
      names.add(name.text);
      collect(own);
    });
  collect(query);
  walkTree(query, (node) => {
    if ('query' in node) collect(node.query);
    if (node.kind === 'setOperation') [node.left, node.right].forEach(collect);
    return undefined;
  });
  return names;
}

/**
 * Whether the table is `(SELECT * FROM table AS name WHERE condition)` with the condition that governs it.
 */
function isRestriction({ query }: DerivedTable, policies: Policies): boolean {
  const [from, ...others] = query.body.kind === 'select' ? query.body.from : [];
  if (from?.kind !== 'table' || from.path.length < 2 || others.length > 0) return false;
  const { conditionFor, path } = judgeTable(tablePathOf(from, policies.dialect).name, policies);
  const condition = conditionFor(GOVERNED);
  if (condition === null) return false;
  return isSameTree(asLiterals(asSamples(selectAll(path, condition, policies.rowBarrier))), query);
}

function isFree(table: TableReference, commonTables: ReadonlySet<string>, policies: Policies): boolean {
  const [name] = table.path;
  if (table.path.length === 1 && name !== undefined && commonTables.has(name.text)) return true;
  return judgeTable(tablePathOf(table, policies.dialect).name, policies).rules.length === 0;
}

/**
 * Compares the form with `?` and the form with literals word by word.
 * @throws Refusal if anything except the values differs
 */
export function verifyParameters(
  parameterized: readonly Token[],
  inline: readonly Token[],
  parameters: readonly (string | number | boolean)[],
): void {
  let at = 0;
  let parameter = 0;
  for (const token of parameterized) {
    const expected =
      token.kind === 'symbol' && token.text === '?' ? wordsOf(parameters[parameter++]) : [token];
    for (const { kind, text } of expected) {
      const actual = inline[at++];
      if (actual?.kind !== kind || actual.text !== text) refuseDifference();
    }
  }
  if (at !== inline.length || parameter !== parameters.length) refuseDifference();
}

function wordsOf(value: string | number | boolean | undefined): Pick<Token, 'kind' | 'text'>[] {
  if (value === undefined) return refuseDifference();
  if (typeof value === 'string') return [{ kind: 'string', text: value }];
  if (typeof value === 'boolean') return [{ kind: 'word', text: value ? 'TRUE' : 'FALSE' }];
  const number: Pick<Token, 'kind' | 'text'> = { kind: 'number', text: String(Math.abs(value)) };
  return value < 0 ? [{ kind: 'symbol', text: '-' }, number] : [number];
}
