import type { Condition, ConditionValue } from '../../sql/logic/restriction.js';
import { relate } from './literals.js';
import { Work } from './work.js';

/** A required truth value of a condition in SQL, where a condition may also be NULL. */
export type Truth = 'true' | 'false' | 'notTrue' | 'notFalse';

type Bound = '<' | '<=' | '>' | '>=';

/** One requirement on a column. All except `isNull` imply that the column is not NULL. */
type Atom = { column: string } & (
  | { kind: 'isNull' | 'isNotNull' }
  | { kind: 'in' | 'notIn'; values: readonly ConditionValue[] }
  | { kind: 'bound'; operator: Bound; value: ConditionValue }
);

type Formula =
  | { kind: 'all'; parts: readonly Formula[] }
  | { kind: 'any'; parts: readonly Formula[] }
  | { kind: 'atom'; atom: Atom };

const ALWAYS: Formula = { kind: 'all', parts: [] };
const NEVER: Formula = { kind: 'any', parts: [] };

/** A condition and its required truth value. */
export interface Demand {
  condition: Condition;
  truth: Truth;
}

/** The most steps of one search. A search that exceeds them returns true. */
const STEPS_MAX = 50_000;
/** A comparison of values takes as long as this many entries that are copied. */
const COMPARISON_STEPS = 10;

/**
 * Whether some row could meet all the demands. False is proven for every column type and every placeholder
 * value. True is not proven: it is also returned if nothing is known, and if the work is over.
 */
export function canHold(demands: readonly Demand[], work = new Work()): boolean {
  const steps = Math.min(STEPS_MAX, work.left);
  const budget = { left: steps };
  const formulas = demands.map(({ condition, truth }) => formulaOf(condition, truth));
  const mayHold = search(formulas, [], budget);
  work.spend(steps - budget.left);
  return mayHold;
}

function formulaOf(condition: Condition, truth: Truth): Formula {
  const isPositive = truth === 'true' || truth === 'notFalse';
  switch (condition.kind) {
    case 'constant':
      return isConstantMet(condition.value, truth) ? ALWAYS : NEVER;
    case 'not':
      return formulaOf(condition.part, NEGATED[truth]);
    case 'and':
    case 'or': {
      const kind = (condition.kind === 'and') === isPositive ? 'all' : 'any';
      return { kind, parts: condition.parts.map((part) => formulaOf(part, truth)) };
    }
    case 'isNull': {
      const isNull = isPositive !== condition.isNegated;
      return atom({ column: condition.column, kind: isNull ? 'isNull' : 'isNotNull' });
    }
    case 'compare':
      return orNull(condition.column, truth, compareFormula(condition, isPositive));
    case 'in':
      return membershipFormula(condition, truth);
    case 'other':
      return ALWAYS;
  }
}

const NEGATED = { true: 'false', false: 'true', notTrue: 'notFalse', notFalse: 'notTrue' } as const;

function isConstantMet(value: boolean | null, truth: Truth): boolean {
  switch (truth) {
    case 'true':
      return value === true;
    case 'false':
      return value === false;
    case 'notTrue':
      return value !== true;
    case 'notFalse':
      return value !== false;
  }
}

function atom(demand: Atom): Formula {
  return { kind: 'atom', atom: demand };
}

function isNullIn(column: string): Formula {
  return atom({ column, kind: 'isNull' });
}

/** A comparison with a NULL is NULL: neither true nor false. */
function orNull(column: string, truth: Truth, formula: Formula): Formula {
  if (truth === 'true' || truth === 'false') return formula;
  return { kind: 'any', parts: [isNullIn(column), formula] };
}

const OPPOSITE = { '=': '<>', '<>': '=', '<': '>=', '<=': '>', '>': '<=', '>=': '<' } as const;

function compareFormula(
  { column, operator: written, value }: Extract<Condition, { kind: 'compare' }>,
  isPositive: boolean,
): Formula {
  const operator = isPositive ? written : OPPOSITE[written];
  if (operator === '=') return atom({ column, kind: 'in', values: [value] });
  if (operator === '<>') return atom({ column, kind: 'notIn', values: [value] });
  return atom({ column, kind: 'bound', operator, value });
}

function membershipFormula(
  { column, values, isNegated }: Extract<Condition, { kind: 'in' }>,
  truth: Truth,
): Formula {
  const isIn = (truth === 'true' || truth === 'notFalse') !== isNegated;
  if (values.length === 0) return isIn ? NEVER : ALWAYS;
  const formula = orNull(column, truth, atom({ column, kind: isIn ? 'in' : 'notIn', values }));
  // A placeholder may be an empty list, and not even a NULL is in an empty list.
  const mayBeEmpty = values.every((value) => 'placeholder' in value);
  return mayBeEmpty && !isIn ? { kind: 'any', parts: [isNullIn(column), formula] } : formula;
}

interface Budget {
  left: number;
}

/** Tries the alternatives in order. `atoms` are the requirements chosen so far. */
function search(formulas: readonly Formula[], atoms: readonly Atom[], budget: Budget): boolean {
  budget.left -= COMPARISON_STEPS + formulas.length;
  if (budget.left <= 0) return true;
  const [first, ...rest] = formulas;
  if (first === undefined) return true;
  if (first.kind === 'all') {
    budget.left -= first.parts.length;
    return search([...first.parts, ...rest], atoms, budget);
  }
  if (first.kind === 'any') return first.parts.some((part) => search([part, ...rest], atoms, budget));
  // They are copied, and searched for those on the same column.
  budget.left -= 2 * atoms.length;
  const demands = [...atoms, first.atom];
  return isConsistent(first.atom, demands, budget) && search(rest, demands, budget);
}

/** Whether the latest requirement is consistent with the others on its column. */
function isConsistent(latest: Atom, demands: readonly Atom[], budget: Budget): boolean {
  const atoms = demands.filter(({ column }) => column === latest.column);
  if (atoms.some(({ kind }) => kind === 'isNull')) return atoms.every(({ kind }) => kind === 'isNull');
  const bounds = atoms.filter((each) => each.kind === 'bound');
  budget.left -= COMPARISON_STEPS * bounds.length;
  if (latest.kind === 'bound' && bounds.some((each) => isEmptyRange(each, latest))) return false;
  return atoms.every(
    (each) => each.kind !== 'in' || each.values.some((value) => isAllowed(value, atoms, budget)),
  );
}

type BoundAtom = Extract<Atom, { kind: 'bound' }>;

function isEmptyRange(a: BoundAtom, b: BoundAtom): boolean {
  const [lower, upper] = a.operator.startsWith('>') ? [a, b] : [b, a];
  if (!lower.operator.startsWith('>') || !upper.operator.startsWith('<')) return false;
  const relation = relate(lower.value, upper.value);
  const isClosed = lower.operator === '>=' && upper.operator === '<=';
  return relation === 'greater' || (relation === 'equal' && !isClosed);
}

/** False if a column with this value certainly breaks one of the requirements. */
function isAllowed(value: ConditionValue, atoms: readonly Atom[], budget: Budget): boolean {
  return atoms.every((each) => {
    budget.left -= COMPARISON_STEPS;
    switch (each.kind) {
      case 'isNull':
      case 'isNotNull':
        return true;
      case 'in':
        return each.values.some((other) => canBeEqual(value, other, budget));
      case 'notIn':
        return !each.values.some((other) => isCertainlyEqual(value, other, budget));
      case 'bound':
        return !EXCLUDED[each.operator].includes(relate(value, each.value));
    }
  });
}

const EXCLUDED: Record<Bound, readonly string[]> = {
  '<': ['equal', 'greater'],
  '<=': ['greater'],
  '>': ['equal', 'less'],
  '>=': ['less'],
};

function canBeEqual(a: ConditionValue, b: ConditionValue, budget: Budget): boolean {
  budget.left -= COMPARISON_STEPS;
  if (budget.left <= 0) return true;
  const relation = relate(a, b);
  return relation === 'equal' || relation === 'unknown';
}

function isCertainlyEqual(a: ConditionValue, b: ConditionValue, budget: Budget): boolean {
  budget.left -= COMPARISON_STEPS;
  return budget.left > 0 && relate(a, b) === 'equal';
}
