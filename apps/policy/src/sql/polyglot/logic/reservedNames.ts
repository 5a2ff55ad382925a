import { caseKey } from '../../logic/names.js';
import { refuse } from './refuse.js';
import type { Name } from './tree.js';

/**
 * Names reserved for this engine. If the database lacks a column of a rule, it searches the outer queries,
 * even for a qualified column. Under a name that no statement can use, it finds none there.
 */
const RESERVED = /^gatehouse_(?:governed|rule_\d+|with_\d+)$/;

/** The alias of the governed table in its subquery. */
export const GOVERNED = 'gatehouse_governed';

/** The alias of the table `number` in the rule's own queries. */
export function ruleAlias(number: number): Name {
  return { text: `gatehouse_rule_${number}`, isQuoted: true };
}

/** The name of the common table `number` of a statement. */
export function commonTableName(number: number): Name {
  return { text: `gatehouse_with_${number}`, isQuoted: true };
}

/** @throws Refusal for a reserved name */
export function refuseReservedName({ text }: Name): void {
  if (RESERVED.test(caseKey(text))) refuse('FORBIDDEN_CONSTRUCT', `the name ${text} is reserved`);
}
