import type { Dashboard, ResourceType, ShareRecord } from '@gatehouse/contract';
import { succeeded, unique, type Session } from './api.js';

/** What dashboards and visuals have in common over HTTP. */
export type Resource = Omit<Dashboard, 'isDataApp' | 'template'> & { secret?: string };

/** One of the two kinds of resource, which are owned and shared alike. */
export interface Kind {
  type: ResourceType;
  /** Path of the list, and the name of its array. */
  plural: 'dashboards' | 'visuals';
  /** The field that holds the body: a dashboard's template, a visual's frame object. */
  bodyField: 'template' | 'frameObject';
}

export const DASHBOARDS: Kind = { type: 'dashboard', plural: 'dashboards', bodyField: 'template' };
export const VISUALS: Kind = { type: 'visual', plural: 'visuals', bodyField: 'frameObject' };
export const kinds: readonly Kind[] = [DASHBOARDS, VISUALS];

export function pathOf({ plural }: Kind, id: string, rest = ''): string {
  return `/${plural}/${id}${rest}`;
}

export async function createResource(
  kind: Kind,
  owner: Session,
  fields: Record<string, unknown> = {},
): Promise<Resource> {
  const body = { title: unique(kind.type), ...fields };
  const made = succeeded(await owner.post<Record<string, Resource>>(`/${kind.plural}`, body));
  return made[kind.type] as Resource;
}

/** Grants as the owner, or as another user who may. */
export async function shareResource(
  kind: Kind,
  id: string,
  { by, shares }: { by: Session; shares: Record<string, unknown>[] },
): Promise<ShareRecord[]> {
  return succeeded(await by.post<{ shares: ShareRecord[] }>(pathOf(kind, id, '/share'), { shares })).shares;
}

/** The level at which a user sees a resource, or the status of the error. */
export async function seenAs(kind: Kind, id: string, viewer: Session): Promise<string> {
  const { status, body } = await viewer.get<Record<string, Resource>>(pathOf(kind, id));
  return status === 200 ? String(body[kind.type]?.accessLevel) : String(status);
}

/** The ids of all resources that a list shows a user. */
export async function listedIds(kind: Kind, viewer: Session, query = ''): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page: string = cursor === null ? '' : `&cursor=${cursor}`;
    const answer = await viewer.get<Record<string, unknown>>(`/${kind.plural}?limit=500${page}${query}`);
    const body = succeeded(answer);
    ids.push(...(body[kind.plural] as Resource[]).map(({ id }) => id));
    cursor = body['nextCursor'] as string | null;
  } while (cursor !== null);
  return ids;
}
