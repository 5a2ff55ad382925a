import { routes } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ACTIONS,
  CALLERS,
  keyOf,
  makeWorld,
  OTHER_ACTIONS,
  RELATIONS,
  USERS,
  type Action,
  type OtherAction,
  type Relation,
  type User,
  type World,
} from './src/matrixWorld.js';
import { succeeded, type Answer } from './src/api.js';
import { startObserved, type ObservedServer } from './src/observedServer.js';
import type { StoredBytes } from '@gatehouse/testing';
import {
  DASHBOARDS,
  kinds,
  listedIds,
  pathOf,
  VISUALS,
  type Kind,
  type Resource,
} from './src/resourceKinds.js';
import { forms } from './src/servers.js';
import { rowsOf } from './src/turns.js';

/**
 * The permission matrix: without a grant, an ADMIN has the same rights as an AUTHOR. A resource that the
 * caller may not see is 404; one that it may see but not change is 403. Both for dashboards and visuals.
 */
type Row = readonly [owner: number, none: number, ...levels: [number, number, number, number]];
const CELLS: Record<Action, Record<User, Row>> = {
  //                     owner none VIEWER EDITOR CONTRIBUTOR OWNER
  view: {
    'tenant VIEWER': [200, 404, 200, 200, 200, 200],
    'tenant POWER_USER': [200, 404, 200, 200, 200, 200],
    'org VIEWER': [200, 404, 200, 200, 200, 200],
    'org AUTHOR': [200, 404, 200, 200, 200, 200],
    'org ADMIN': [200, 404, 200, 200, 200, 200],
  },
  listShares: {
    'tenant VIEWER': [200, 404, 200, 200, 200, 200],
    'tenant POWER_USER': [200, 404, 200, 200, 200, 200],
    'org VIEWER': [200, 404, 200, 200, 200, 200],
    'org AUTHOR': [200, 404, 200, 200, 200, 200],
    'org ADMIN': [200, 404, 200, 200, 200, 200],
  },
  duplicate: {
    'tenant VIEWER': [403, 404, 403, 403, 403, 403],
    'tenant POWER_USER': [201, 404, 201, 201, 201, 201],
    'org VIEWER': [403, 404, 403, 403, 403, 403],
    'org AUTHOR': [201, 404, 201, 201, 201, 201],
    'org ADMIN': [201, 404, 201, 201, 201, 201],
  },
  edit: {
    'tenant VIEWER': [403, 404, 403, 403, 403, 403],
    'tenant POWER_USER': [200, 404, 403, 200, 200, 200],
    'org VIEWER': [403, 404, 403, 403, 403, 403],
    'org AUTHOR': [200, 404, 403, 200, 200, 200],
    'org ADMIN': [200, 404, 403, 200, 200, 200],
  },
  share: {
    'tenant VIEWER': [403, 404, 403, 403, 403, 403],
    'tenant POWER_USER': [200, 404, 403, 403, 200, 200],
    'org VIEWER': [403, 404, 403, 403, 403, 403],
    'org AUTHOR': [200, 404, 403, 403, 200, 200],
    'org ADMIN': [200, 404, 403, 403, 200, 200],
  },
  listViewers: {
    'tenant VIEWER': [403, 404, 403, 403, 403, 403],
    'tenant POWER_USER': [200, 404, 403, 403, 200, 200],
    'org VIEWER': [403, 404, 403, 403, 403, 403],
    'org AUTHOR': [200, 404, 403, 403, 200, 200],
    'org ADMIN': [200, 404, 403, 403, 200, 200],
  },
  revoke: {
    'tenant VIEWER': [403, 404, 403, 403, 403, 403],
    'tenant POWER_USER': [200, 404, 403, 403, 200, 200],
    'org VIEWER': [403, 404, 403, 403, 403, 403],
    'org AUTHOR': [200, 404, 403, 403, 200, 200],
    'org ADMIN': [200, 404, 403, 403, 200, 200],
  },
  delete: {
    'tenant VIEWER': [403, 404, 403, 403, 403, 403],
    'tenant POWER_USER': [200, 404, 403, 403, 403, 200],
    'org VIEWER': [403, 404, 403, 403, 403, 403],
    'org AUTHOR': [200, 404, 403, 403, 403, 200],
    'org ADMIN': [200, 404, 403, 403, 403, 200],
  },
};

/**
 * Operations without a resource: creating, managing groups, and what an ADMIN may do without seeing
 * everything.
 */
//                 tenant VIEWER, POWER_USER, org VIEWER, AUTHOR, ADMIN, service identity, anonymous token
const OTHER_CELLS: Record<OtherAction, readonly [number, number, number, number, number, number, number]> = {
  createDashboard: [403, 201, 403, 201, 201, 403, 403],
  createVisual: [403, 201, 403, 201, 201, 403, 403],
  createGroup: [403, 403, 403, 201, 201, 403, 403],
  editGroup: [403, 403, 403, 200, 200, 403, 403],
  addMember: [403, 403, 403, 200, 200, 403, 403],
  removeMember: [403, 403, 403, 200, 200, 403, 403],
  deleteGroup: [403, 403, 403, 200, 200, 403, 403],
  listAllDashboards: [403, 403, 403, 403, 200, 403, 403],
  listAllVisuals: [403, 403, 403, 403, 200, 403, 403],
  listAnyShares: [403, 403, 403, 403, 200, 403, 403],
  listAnyVisualShares: [403, 403, 403, 403, 200, 403, 403],
  takeDashboard: [403, 403, 403, 403, 200, 403, 403],
  takeVisual: [403, 403, 403, 403, 200, 403, 403],
};

/** Callers without a role: the first column is the dashboard of an anonymous token. */
const ROLELESS_CELLS = {
  //                                own dashboard, another, visual
  'service identity': { view: [403, 403, 403], change: [403, 403, 403] },
  'anonymous dashboard token': { view: [200, 403, 403], change: [403, 403, 403] },
} as const;

const cells = (Object.keys(ACTIONS) as Action[]).flatMap((action) =>
  kinds.flatMap((kind) =>
    USERS.flatMap((user) =>
      RELATIONS.map((relation, index) => ({
        action,
        kind,
        user,
        relation,
        status: CELLS[action][user][index] ?? 0,
      })),
    ),
  ),
);
type Cell = (typeof cells)[number];
const otherCells = (Object.keys(OTHER_ACTIONS) as OtherAction[]).flatMap((action) =>
  CALLERS.map((caller, index) => ({ action, caller, status: OTHER_CELLS[action][index] ?? 0 })),
);
const rolelessCells = (Object.keys(ROLELESS_CELLS) as (keyof typeof ROLELESS_CELLS)[]).flatMap((caller) =>
  (Object.keys(ACTIONS) as Action[]).flatMap((action) =>
    (['own dashboard', 'another dashboard', 'visual'] as const).map((place, index) => ({
      caller,
      action,
      place,
      status: ROLELESS_CELLS[caller][action === 'view' ? 'view' : 'change'][index] ?? 0,
    })),
  ),
);
const nameOf = ({ action, kind, user, relation, status }: Cell) =>
  `${user}, ${relation}: ${action} of a ${kind.type} is ${status}`;

const isRefusal = ({ status }: { status: number }) => status >= 400;
const isAllowed = ({ status }: { status: number }) => status < 400;

const CODES: Record<number, string> = { 401: 'UNAUTHENTICATED', 403: 'FORBIDDEN', 404: 'NOT_FOUND' };
const told = ({ body }: Answer) => ({ ...body, requestId: '' });

describe.each(forms)('the permission matrix ($form)', ({ form, start }) => {
  const ownCells = rowsOf(form, cells);
  let observed: ObservedServer;
  let world: World;
  let settled: StoredBytes;

  beforeAll(async () => {
    observed = await startObserved(start);
    world = await makeWorld(observed);
    settled = await observed.readSettled();
  });
  afterAll(() => observed[Symbol.asyncDispose]());

  const resourceOf = ({ user, relation, kind }: { user: User; relation: Relation; kind: Kind }) =>
    world.resources.get(keyOf(user, relation, kind)) as Resource;
  const act = (cell: Cell, id = resourceOf(cell).id) =>
    ACTIONS[cell.action]({ kind: cell.kind, id, by: world.users[cell.user].session, world });

  /** The status of a request, and the changes in the databases since the previous one. */
  const outcomeOf = async ({ status, body }: Answer) => {
    const changes = await observed.findChanges(settled);
    if (changes.length > 0) settled = await observed.readSettled();
    return { status, code: body['code'], changes };
  };
  const refusalOf = (status: number) => ({ status, code: CODES[status], changes: [] });

  describe('rejects, and writes nothing', () => {
    it.each(ownCells.filter(isRefusal).map((cell) => [nameOf(cell), cell] as const))(
      '%s',
      async (_, cell) => {
        expect(await outcomeOf(await act(cell))).toEqual(refusalOf(cell.status));
      },
    );

    it.each(otherCells.filter(isRefusal))(
      '$caller: $action is $status',
      async ({ action, caller, status }) => {
        expect(await outcomeOf(await OTHER_ACTIONS[action](caller, world))).toEqual(refusalOf(status));
      },
    );

    it.each(rolelessCells.filter(isRefusal))(
      '$caller: $action of $place is $status',
      async ({ caller, action, place, status }) => {
        const { tokenDashboard, others } = world;
        const target = {
          'own dashboard': { kind: DASHBOARDS, id: tokenDashboard.id },
          'another dashboard': { kind: DASHBOARDS, id: others.dashboard.id },
          visual: { kind: VISUALS, id: others.visual.id },
        }[place];
        const answer = await ACTIONS[action]({ ...target, by: world.callers[caller], world });
        expect(await outcomeOf(answer)).toEqual(refusalOf(status));
      },
    );

    it('returns the same error for a hidden resource as for a missing one', async () => {
      for (const cell of ownCells.filter(({ status }) => status === 404)) {
        expect(told(await act(cell))).toEqual(told(await act(cell, 'd_none')));
      }
    });
  });

  describe('allows', () => {
    it.each(USERS)('%s to list exactly what it may view', async (user) => {
      for (const kind of kinds) {
        const visible = RELATIONS.filter((_, index) => CELLS.view[user][index] === 200);
        const listed = await listedIds(kind, world.users[user].session);
        expect(listed.toSorted()).toEqual(
          visible.map((relation) => resourceOf({ user, relation, kind }).id).toSorted(),
        );
      }
    });

    it('an ADMIN to list everything, with no level where it has no access', async () => {
      for (const kind of kinds) {
        const { session } = world.users['org ADMIN'];
        const listed = await session.get<Record<string, Resource[]>>(
          `/${kind.plural}?scope=organization&limit=500`,
        );
        const levels = new Map(listed.body[kind.plural]?.map(({ id, accessLevel }) => [id, accessLevel]));
        const own = resourceOf({ user: 'org ADMIN', relation: 'owner', kind });
        const foreign = resourceOf({ user: 'org ADMIN', relation: 'none', kind });
        const ofOther = resourceOf({ user: 'tenant POWER_USER', relation: 'owner', kind });
        expect([own, foreign, ofOther].map(({ id }) => levels.get(id))).toEqual(['OWNER', null, null]);
        expect([...world.resources.values()].filter(({ id }) => id.startsWith(own.id.slice(0, 2)))).toSatisfy(
          (all: Resource[]) => all.every(({ id }) => levels.has(id)),
        );
      }
    });

    it.each(ownCells.filter(isAllowed).map((cell) => [nameOf(cell), cell] as const))(
      '%s',
      async (_, cell) => {
        const answer = await act(cell);
        expect(answer.status).toBe(cell.status);
        if (cell.action !== 'view') return;
        const index = RELATIONS.indexOf(cell.relation);
        const may = (action: Action) => CELLS[action][cell.user][index] === 200;
        expect(answer.body[cell.kind.type]).toMatchObject({
          permissions: { canEdit: may('edit'), canShare: may('share'), canDelete: may('delete') },
        });
      },
    );

    it.each(otherCells.filter(isAllowed))(
      '$caller: $action is $status',
      async ({ action, caller, status }) => {
        expect((await OTHER_ACTIONS[action](caller, world)).status).toBe(status);
      },
    );

    it('an anonymous dashboard token to view its dashboard, without changing it', async () => {
      const { status, body } = await world.callers['anonymous dashboard token'].get<{ dashboard: Resource }>(
        pathOf(DASHBOARDS, world.tokenDashboard.id),
      );
      expect({ status, level: body.dashboard.accessLevel }).toEqual({ status: 200, level: 'VIEWER' });
    });
  });

  describe('rejects a deactivated user, even an owner,', () => {
    beforeAll(async () => {
      await Promise.all(
        USERS.map(async (user) => {
          const path = user.startsWith('tenant') ? 'tenant-users' : 'org-users';
          const { id } = world.users[user];
          succeeded(await observed.api.admin.patch(`/${path}/${id}`, { isActive: false }));
        }),
      );
      settled = await observed.readSettled();
    });

    it.each(USERS)('%s: on every route', async (user) => {
      const { id } = resourceOf({ user, relation: 'owner', kind: DASHBOARDS });
      const guarded = routes.filter(({ tokens }) => tokens !== 'none');
      const statusOf = async ({ method, path, operationId }: (typeof guarded)[number]) => {
        const filled = path.replaceAll(/\{\w+\}/g, id);
        return [operationId, (await world.users[user].session.send(method, filled)).status];
      };
      const statuses: unknown[] = [];
      // The gateway sends 200 responses with 401 each second to one caller, and rejects who waits for long.
      for (let first = 0; first < guarded.length; first += 20)
        statuses.push(...(await Promise.all(guarded.slice(first, first + 20).map(statusOf))));
      expect(statuses).toEqual(guarded.map(({ operationId }) => [operationId, 401]));
      expect(await observed.findChanges(settled)).toEqual([]);
    });

    it.each(USERS)('%s: and issues no other token to it', async (user) => {
      const { id } = world.users[user];
      const identity = user.startsWith('tenant') ? { endUserId: id } : { orgUserId: id };
      const { status } = await observed.api.requestToken({ ...observed.api.project, ...identity });
      expect(status).toBe(401);
      expect(await observed.findChanges(settled)).toEqual([]);
    });
  });
});
