import type { AccessExplanation, AccessLevel, Viewer } from '@gatehouse/contract';
import { LEVEL_NAMES } from './shares.js';

type Grant = AccessExplanation['grants'][number];

/** A point of the drawing: a person, what leads to resources, a resource, or several of one kind. */
export interface GraphNode {
  id: string;
  kind: 'person' | 'way' | 'resource' | 'bundle';
  label: string;
  detail: string | null;
  /** From left to right, 0 to 2. */
  column: number;
  row: number;
  isEffective: boolean;
}

export interface GraphEdge {
  from: string;
  to: string;
  /** Whether it is part of the path that decides. */
  isEffective: boolean;
}

export interface AccessGraph {
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  /** Whether some points stand for several, because all would not fit. */
  isBundled: boolean;
}

/** Beyond this many points a drawing cannot be read, and points are drawn together. */
export const NODES_MAX = 60;
/** How many ways are drawn next to bundles. */
const WAYS_MAX = 25;

/** What leads from a person to a resource. */
export interface Way {
  id: string;
  kind: 'ownership' | 'share' | 'group' | 'audience' | 'dashboard' | 'token';
  /** The group or the dashboard, whose name is read separately. */
  recordId: string | null;
  label: string;
}

const AUDIENCES: Readonly<Record<string, string>> = {
  all_tenant_users: 'All users of the tenant',
  all_org_users: 'Everyone in the organization',
  org_users_only: 'All org users',
  all_tenants_only: 'All tenant users',
};

/** The way of a grant. */
export function wayOf({ path, scope, groupId, dashboardId }: Grant): Way {
  if (path === 'group')
    return { id: `group:${groupId}`, kind: 'group', recordId: groupId ?? null, label: 'Group' };
  if (path === 'linked dashboard')
    return {
      id: `dashboard:${dashboardId}`,
      kind: 'dashboard',
      recordId: dashboardId ?? null,
      label: 'Linked from a dashboard',
    };
  if (path === 'audience')
    return {
      id: `audience:${scope}`,
      kind: 'audience',
      recordId: null,
      label: AUDIENCES[scope ?? ''] ?? 'Everyone',
    };
  if (path === 'ownership') return { id: path, kind: path, recordId: null, label: 'Ownership' };
  if (path === 'token') return { id: path, kind: path, recordId: null, label: 'Token of the dashboard' };
  return { id: 'share', kind: 'share', recordId: null, label: 'Direct share' };
}

/** A resource that a person can open, with all grants that lead to it. */
export interface Reached {
  id: string;
  title: string;
  level: AccessLevel;
  grants: readonly Grant[];
}

interface Start {
  id: string;
  name: string;
}

/** The drawing of what a person can open. */
export function graphOfPerson(person: Start, reached: readonly Reached[]): AccessGraph {
  const grants = reached.flatMap((resource) =>
    resource.grants.map((grant) => ({ way: wayOf(grant), wins: grant.wins, resource })),
  );
  const ways = [...new Map(grants.map(({ way }) => [way.id, way])).values()];
  const winning = new Set(grants.filter(({ wins }) => wins).map(({ way }) => way.id));
  const builder = new Builder();
  builder.add(person.id, { kind: 'person', label: person.name, column: 0 });
  const isBundled = 1 + ways.length + reached.length > NODES_MAX;
  for (const way of isBundled ? ways.slice(0, WAYS_MAX) : ways) {
    builder.add(way.id, { kind: 'way', label: way.label, column: 1 });
    builder.connect(person.id, way.id, winning.has(way.id));
  }
  if (ways.length > WAYS_MAX && isBundled)
    builder.add('other ways', { kind: 'bundle', label: `${ways.length - WAYS_MAX} more ways`, column: 1 });
  if (isBundled) {
    for (const way of ways.slice(0, WAYS_MAX)) {
      const count = grants.filter((grant) => grant.way.id === way.id).length;
      builder.add(`by ${way.id}`, { kind: 'bundle', label: `${count} resources`, column: 2 });
      builder.connect(way.id, `by ${way.id}`, winning.has(way.id));
    }
    return builder.end(true);
  }
  // In the order of the ways that decide, so that few lines cross.
  const place = ({ grants: all }: Reached) =>
    ways.findIndex(({ id }) => all.some((grant) => grant.wins && wayOf(grant).id === id));
  for (const { id, title, level } of reached.toSorted((one, other) => place(one) - place(other)))
    builder.add(id, { kind: 'resource', label: title, detail: LEVEL_NAMES[level], column: 2 });
  for (const { way, wins, resource } of grants) builder.connect(way.id, resource.id, wins);
  return builder.end(false);
}

const PATH_LABELS: Readonly<Record<Viewer['path'], string>> = {
  ownership: 'Ownership',
  share: 'Direct share',
  group: 'Groups',
  audience: 'Shared with everyone of a kind',
  'linked dashboard': 'Linked from a dashboard',
  token: 'Token of the dashboard',
};

/** The name of a kind of path. */
export function pathLabel(path: Viewer['path']): string {
  return PATH_LABELS[path];
}

/** The drawing of who can open a resource; the people of a path are drawn together if they are too many. */
export function graphOfResource(resource: Start, viewers: readonly Viewer[]): AccessGraph {
  const paths = [...new Set(viewers.map(({ path }) => path))];
  const builder = new Builder();
  builder.add(resource.id, { kind: 'resource', label: resource.name, column: 2 });
  const isBundled = 1 + paths.length + viewers.length > NODES_MAX;
  for (const path of paths) {
    const members = viewers.filter((viewer) => viewer.path === path);
    builder.add(path, { kind: 'way', label: PATH_LABELS[path], column: 1 });
    builder.connect(path, resource.id, true);
    if (isBundled) {
      builder.add(`by ${path}`, { kind: 'bundle', label: `${members.length} people`, column: 0 });
      builder.connect(`by ${path}`, path, true);
      continue;
    }
    for (const { id, name, accessLevel } of members) {
      builder.add(id, { kind: 'person', label: name, detail: LEVEL_NAMES[accessLevel], column: 0 });
      builder.connect(id, path, true);
    }
  }
  return builder.end(isBundled);
}

class Builder {
  readonly #nodes = new Map<string, GraphNode>();
  readonly #edges = new Map<string, GraphEdge>();
  readonly #rows = [0, 0, 0];

  add(id: string, node: Pick<GraphNode, 'kind' | 'label' | 'column'> & { detail?: string }): void {
    if (this.#nodes.has(id)) return;
    const row = this.#rows[node.column] ?? 0;
    this.#rows[node.column] = row + 1;
    this.#nodes.set(id, { detail: null, ...node, id, row, isEffective: false });
  }

  connect(from: string, to: string, isEffective: boolean): void {
    const key = JSON.stringify([from, to]);
    const former = this.#edges.get(key)?.isEffective ?? false;
    this.#edges.set(key, { from, to, isEffective: former || isEffective });
  }

  end(isBundled: boolean): AccessGraph {
    const edges = [...this.#edges.values()].filter(
      ({ from, to }) => this.#nodes.has(from) && this.#nodes.has(to),
    );
    const reached = new Set(edges.filter((edge) => edge.isEffective).flatMap(({ from, to }) => [from, to]));
    const tallest = Math.max(...this.#rows);
    const nodes = [...this.#nodes.values()].map((node) => {
      // Shorter columns are in the middle of the tallest one.
      const offset = (tallest - (this.#rows[node.column] ?? 0)) / 2;
      return { ...node, row: node.row + offset, isEffective: reached.has(node.id) };
    });
    return { nodes, edges, isBundled };
  }
}

/** Replaces the labels of groups and dashboards by their names, as far as those are known. */
export function withNames(graph: AccessGraph, names: ReadonlyMap<string, string>): AccessGraph {
  const nodes = graph.nodes.map((node) => ({ ...node, label: names.get(node.id) ?? node.label }));
  return { ...graph, nodes };
}
