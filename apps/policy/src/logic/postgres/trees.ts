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

/** True when more than `limit` nodes are nested in a tree, about. Found without recursion. */
export function isDeeperThan(limit: number, tree: object): boolean {
  const open: { value: object; depth: number }[] = [{ value: tree, depth: 1 }];
  for (let entry = open.pop(); entry; entry = open.pop()) {
    const { value, depth } = entry;
    // A node is two objects: its kind, and its fields.
    if (depth > 2 * limit) return true;
    for (const child of Object.values(value)) {
      if (typeof child === 'object' && child !== null)
        open.push({ value: child as object, depth: depth + 1 });
    }
  }
  return false;
}

/** True when two trees say the same. A field that is absent is one that is zero, false or empty: the parser leaves those out. */
export function isSameTree(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  // Most of what is compared are places, which are numbers.
  if (typeof one !== 'object' || typeof other !== 'object') return isZero(one) && isZero(other);
  if (Array.isArray(one) && Array.isArray(other)) return isSameList(one, other);
  if (!isFields(one) || !isFields(other)) return isZero(one) && isZero(other);
  for (const key in one) {
    if (!isSameTree(one[key], other[key]) && !PLACES.has(key)) return false;
  }
  for (const key in other) {
    if (!(key in one) && !isZero(other[key]) && !PLACES.has(key)) return false;
  }
  return true;
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one.length !== other.length) return false;
  for (let index = 0; index < one.length; index += 1) {
    if (!isSameTree(one[index], other[index])) return false;
  }
  return true;
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
  for (const key in value) copy[key] = copyValue(value[key]);
  return copy;
}
