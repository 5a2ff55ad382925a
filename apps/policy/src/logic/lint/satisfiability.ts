import type { Condition, ConditionValue } from '../model.js';
import { relate } from './literals.js';

/** What a condition may be asked to be, in the logic of SQL, where it may also be NULL. */
export type Truth = 'true' | 'false' | 'notTrue' | 'notFalse';

type Bound = '<' | '<=' | '>' | '>=';

/** One demand on a column. All but `isNull` imply that it is not NULL. */
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

/** A condition that is asked to be of some truth. */
export interface Demand {
  condition: Condition;
  truth: Truth;
}

/** How much work a question may take; one that takes more is answered with yes. */
const BUDGET = 5000;

/**
 * Whether some row could meet all the demands. No is proven, for every type of the columns and every value of the
 * placeholders; yes is not: it is also said where nothing is known.
 */
export function canHold(demands: readonly Demand[]): boolean {
  const budget = { left: BUDGET };
  const formulas = demands.map(({ condition, truth }) => formulaOf(condition, truth));
  return search(formulas, [], budget);
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
  // Placeholders may stand for empty lists, and in an empty list not even a NULL is.
  const mayBeEmpty = values.every((value) => 'placeholder' in value);
  return mayBeEmpty && !isIn ? { kind: 'any', parts: [isNullIn(column), formula] } : formula;
}

interface Budget {
  left: number;
}

/** Tries the alternatives one by one; `atoms` are the demands that were taken on so far. */
function search(formulas: readonly Formula[], atoms: readonly Atom[], budget: Budget): boolean {
  budget.left -= 1;
  if (budget.left <= 0) return true;
  const [first, ...rest] = formulas;
  if (first === undefined) return true;
  if (first.kind === 'all') return search([...first.parts, ...rest], atoms, budget);
  if (first.kind === 'any') return first.parts.some((part) => search([part, ...rest], atoms, budget));
  const demands = [...atoms, first.atom];
  return isConsistent(first.atom, demands, budget) && search(rest, demands, budget);
}

/** Whether a demand, the last of all, goes with the others on its column. */
function isConsistent(latest: Atom, demands: readonly Atom[], budget: Budget): boolean {
  const atoms = demands.filter(({ column }) => column === latest.column);
  if (atoms.some(({ kind }) => kind === 'isNull')) return atoms.every(({ kind }) => kind === 'isNull');
  const bounds = atoms.filter((each) => each.kind === 'bound');
  budget.left -= bounds.length;
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

/** False where a column with this value is sure to break one of the demands. */
function isAllowed(value: ConditionValue, atoms: readonly Atom[], budget: Budget): boolean {
  return atoms.every((each) => {
    budget.left -= 1;
    switch (each.kind) {
      case 'isNull':
      case 'isNotNull':
        return true;
      case 'in':
        return each.values.some((other) => canBeEqual(value, other, budget));
      case 'notIn':
        return !each.values.some((other) => isSurelyEqual(value, other, budget));
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
  budget.left -= 1;
  if (budget.left <= 0) return true;
  const relation = relate(a, b);
  return relation === 'equal' || relation === 'unknown';
}

function isSurelyEqual(a: ConditionValue, b: ConditionValue, budget: Budget): boolean {
  budget.left -= 1;
  return budget.left > 0 && relate(a, b) === 'equal';
}
