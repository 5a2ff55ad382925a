import type { HttpMethod } from '@gatehouse/contract';

/** What the matcher needs to know of a route. */
export interface MatchedRoute {
  method: HttpMethod;
  /** With parameters in braces, as `/dashboards/{id}`. */
  path: string;
}

/** A request that names a route, one whose path exists under other methods only, or one that names nothing. */
export type Match<T> =
  | { kind: 'route'; target: T; /** Percent-encoded, in the order of the path. */ values: string[] }
  | { kind: 'otherMethod'; allow: string }
  | { kind: 'unknown' };

interface Node<T> {
  statics: Map<string, Node<T>>;
  parameter: Node<T> | null;
  targets: Map<string, T>;
  allow: string;
}

const UNKNOWN = { kind: 'unknown' } as const;

function createNode<T>(): Node<T> {
  return { statics: new Map(), parameter: null, targets: new Map(), allow: '' };
}

function insert<T extends { route: MatchedRoute }>(root: Node<T>, target: T): void {
  const { method, path } = target.route;
  let node = root;
  for (const segment of path.slice(1).split('/')) {
    if (segment.startsWith('{')) {
      node.parameter ??= createNode();
      node = node.parameter;
      continue;
    }
    const next = node.statics.get(segment) ?? createNode<T>();
    node.statics.set(segment, next);
    node = next;
  }
  if (node.targets.has(method)) throw new Error(`Two routes for ${method} ${path}`);
  node.targets.set(method, target);
  if (method === 'GET') node.targets.set('HEAD', target);
  node.allow = [...node.targets.keys()].join(', ');
}

/** The node of a path, static segments before parameters; goes no deeper than the table does. */
function findNode<T>(node: Node<T>, segments: readonly string[], depth: number): Node<T> | null {
  const segment = segments[depth];
  if (segment === undefined) return node.targets.size > 0 ? node : null;
  const next = node.statics.get(segment);
  const found = next ? findNode(next, segments, depth + 1) : null;
  if (found || segment === '' || node.parameter === null) return found;
  return findNode(node.parameter, segments, depth + 1);
}

/**
 * Prepares the table for matching. HEAD is answered where GET is. Paths are compared as they are written: a trailing
 * slash, a doubled one or an encoded letter of a static segment makes another path.
 */
export function createMatcher<T extends { route: MatchedRoute }>(
  targets: readonly T[],
): (method: string, path: string) => Match<T> {
  const root = createNode<T>();
  const positions = new Map<T, number[]>();
  for (const target of targets) {
    insert(root, target);
    const segments = target.route.path.slice(1).split('/');
    positions.set(
      target,
      segments.flatMap((segment, index) => (segment.startsWith('{') ? [index] : [])),
    );
  }
  return (method, path) => {
    if (!path.startsWith('/')) return UNKNOWN;
    const segments = path.slice(1).split('/');
    const node = findNode(root, segments, 0);
    if (!node) return UNKNOWN;
    const target = node.targets.get(method);
    if (!target) return { kind: 'otherMethod', allow: node.allow };
    const values = (positions.get(target) ?? []).map((position) => segments[position] ?? '');
    return { kind: 'route', target, values };
  };
}
