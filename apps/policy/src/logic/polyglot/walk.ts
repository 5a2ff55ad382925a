import type { Expression, FromItem, Query } from './tree.js';

/** A node of any tree of this engine: a value of plain objects and lists. */
type Tree = Query | Expression | FromItem | readonly Expression[];

/** The parts of trees that say what they are. */
type AnyNode = Expression | FromItem | Query['body'];

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNode(value: Record<string, unknown>): boolean {
  return typeof value['kind'] === 'string';
}

/** Expressions with a query in them. */
type QueryExpression = Extract<AnyNode, { kind: 'inQuery' | 'quantified' | 'exists' | 'scalarQuery' }>;
const QUERY_EXPRESSIONS: ReadonlySet<string> = new Set(['inQuery', 'quantified', 'exists', 'scalarQuery']);

export function isQueryExpression(node: AnyNode): node is QueryExpression {
  return QUERY_EXPRESSIONS.has(node.kind);
}

/** Shows every node of a tree, the outer ones first; those inside a node for which `see` answers `skip` are left out. */
export function walkTree(tree: Tree, see: (node: AnyNode) => 'skip' | undefined): void {
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isRecord(value)) return;
    // Every object with a kind in these trees is one of the nodes.
    if (isNode(value) && see(value as unknown as AnyNode) === 'skip') return;
    Object.values(value).forEach(visit);
  };
  visit(tree);
}

/** A copy of a tree in which `change` put something else for some expressions, without looking into what it put. */
export function mapExpressions<T extends Tree>(
  tree: T,
  change: (node: AnyNode) => Expression | undefined,
): T {
  const map = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(map);
    if (!isRecord(value)) return value;
    const changed = isNode(value) ? change(value as unknown as AnyNode) : undefined;
    if (changed !== undefined) return changed;
    return Object.fromEntries(Object.entries(value).map(([key, child]) => [key, map(child)]));
  };
  return map(tree) as T;
}

/** True of two trees that say the same; whether a name was quoted says nothing. */
export function isSameTree(left: unknown, right: unknown): boolean {
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => isSameTree(item, right[index]))
    );
  }
  if (!isRecord(left) || !isRecord(right)) return left === right;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every(
      (key) => key === 'isQuoted' || (Object.hasOwn(right, key) && isSameTree(left[key], right[key])),
    )
  );
}
