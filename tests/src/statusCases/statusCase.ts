import type { OperationId } from '@gatehouse/client';
import type { ErrorCode } from '@gatehouse/contract';
import { openSession, succeeded, type Api, type Session } from '../api.js';
import { addOrgUser, addTenantUser, type Person } from '../people.js';
import { createResource, DASHBOARDS, VISUALS } from '../resourceKinds.js';

/** One request to a route, ready to be sent. */
export interface RouteRequest {
  /** Absent, no token is sent. */
  session?: Session;
  /** The values of the path's parameters. */
  path?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** Makes what a request needs, and the request. */
export type Prepare = (world: World) => Promise<RouteRequest> | RouteRequest;

/** A request that succeeds, for each route. */
export type Specimens<O extends OperationId> = Record<O, Prepare>;

/** One way to be refused by a route: the code, why, the request, and the field that the answer names. */
export type Refusal = readonly [code: ErrorCode, because: string, prepare: Prepare, field?: string];
export type Refusals = Partial<Record<OperationId, readonly Refusal[]>>;

/** The people that requests are made by and about. The ADMIN is the only active one of the organization. */
export interface World {
  api: Api;
  admin: Session;
  adminId: string;
  author: Person;
  otherAuthor: Person;
  orgViewer: Person;
  tenantId: string;
  powerUser: Person;
  tenantViewer: Person;
  otherTenantId: string;
  otherPowerUser: Person;
  /** The project itself. */
  service: Session;
  /** The token of a dashboard, without an identity. */
  anonymous: Session;
  /** A resource that neither the anonymous token nor any user but its owner may see. */
  hidden: { dashboard: string; visual: string };
}

/** The same request by another user. */
export function by(
  who: 'author' | 'orgViewer' | 'powerUser' | 'tenantViewer' | 'service',
  prepare: Prepare,
): Prepare {
  return async (world) => {
    const caller = world[who];
    return { ...(await prepare(world)), session: 'session' in caller ? caller.session : caller };
  };
}

/** The same request with a body. */
export function withBody(
  prepare: Prepare,
  body: (world: World) => RouteRequest['body'] | Promise<RouteRequest['body']>,
): Prepare {
  return async (world) => ({ ...(await prepare(world)), body: (await body(world)) ?? {} });
}

export async function makeStatusWorld(api: Api, adminId: string): Promise<World> {
  const { id: tenantId } = await api.createTenant();
  const { id: otherTenantId } = await api.createTenant();
  const owner = await addOrgUser(api, 'AUTHOR');
  const { id: dashboardId, secret: dashboardSecret } = await createResource(DASHBOARDS, owner.session);
  const { accessToken } = succeeded(await api.requestToken({ dashboardId, dashboardSecret }));
  return {
    api,
    admin: api.admin,
    adminId,
    author: await addOrgUser(api, 'AUTHOR'),
    otherAuthor: await addOrgUser(api, 'AUTHOR'),
    orgViewer: await addOrgUser(api, 'VIEWER'),
    tenantId,
    powerUser: await addTenantUser(api, tenantId, 'POWER_USER'),
    tenantViewer: await addTenantUser(api, tenantId, 'VIEWER'),
    otherTenantId,
    otherPowerUser: await addTenantUser(api, otherTenantId, 'POWER_USER'),
    service: await api.openSession({}),
    anonymous: openSession(api.baseUrl, accessToken),
    hidden: {
      dashboard: (await createResource(DASHBOARDS, owner.session)).id,
      visual: (await createResource(VISUALS, owner.session)).id,
    },
  };
}
