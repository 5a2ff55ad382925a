/** Fields that say where something was written, and nothing about what it means. */
const PLACES: ReadonlySet<string> = new Set([
  'location',
  'stmt_location',
  'stmt_len',
  'list_start',
  'list_end',
  'rexpr_list_start',
  'rexpr_list_end',
]);

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How many nodes are nested in a tree, about, counted without recursion and not much further than `limit`. */
export function treeDepth(tree: unknown, limit: number): number {
  let level: unknown[] = [tree];
  let depth = 0;
  while (level.length > 0 && depth <= 4 * limit) {
    depth += 1;
    level = level.flatMap(childrenOf);
  }
  // A node is two objects: its kind, and its fields.
  return Math.ceil(depth / 2);
}

function childrenOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).filter((child) => typeof child === 'object' && child !== null);
}

/** True when two trees say the same. A field that is absent is one that is zero, false or empty: the parser leaves those out. */
export function isSameTree(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => isSameTree(item, other[index]));
  }
  if (isFields(one) && isFields(other)) {
    const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
    for (const key of keys) {
      if (!PLACES.has(key) && !isSameTree(one[key], other[key])) return false;
    }
    return true;
  }
  return one === other || (isZero(one) && isZero(other));
}

function isZero(value: unknown): boolean {
  return value === undefined || value === '' || value === 0 || value === false || isEmptyList(value);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** A copy that may be changed. */
export function copyTree<T>(tree: T): T {
  return copyValue(tree) as T;
}

function copyValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copyValue);
  if (!isFields(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, child] of Object.entries(value)) copy[key] = copyValue(child);
  return copy;
}
