import type { Expression, FromItem, Query } from './tree.js';

/** Any tree of this engine: plain objects and lists. */
type Tree = Query | Expression | FromItem | readonly Expression[];

/** The nodes of trees that have a kind. */
export type AnyNode = Expression | FromItem | Query['body'];

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNode(value: Record<string, unknown>): boolean {
  return typeof value['kind'] === 'string';
}

/** Expressions that contain a query. */
type QueryExpression = Extract<AnyNode, { kind: 'inQuery' | 'quantified' | 'exists' | 'scalarQuery' }>;
const QUERY_EXPRESSIONS: ReadonlySet<string> = new Set(['inQuery', 'quantified', 'exists', 'scalarQuery']);

export function isQueryExpression(node: AnyNode): node is QueryExpression {
  return QUERY_EXPRESSIONS.has(node.kind);
}

/**
 * Visits every node of a tree, outer nodes first. The nodes inside a node for which `see` returns `skip` are
 * not visited.
 */
export function walkTree(tree: Tree, see: (node: AnyNode) => 'skip' | undefined): void {
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isRecord(value)) return;
    // Every object with a kind in these trees is a node.
    if (isNode(value) && see(value as unknown as AnyNode) === 'skip') return;
    Object.values(value).forEach(visit);
  };
  visit(tree);
}

/** A copy of a tree in which `change` replaced some expressions. Replacements are not visited. */
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

/** Whether two trees are equal, regardless of the quotes of names. */
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
