import type { OperationId } from '@gatehouse/client';
import { routes, type Route, type RouteRole } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, type Session } from './src/api.js';
import { forms, type TestServer } from './src/servers.js';
import { specimens } from './src/statusCases/allCases.js';
import { AnswerLog } from './src/statusCases/answerLog.js';
import { makeStatusWorld, type World } from './src/statusCases/statusCase.js';
import { VERSION_CONTROL_SETTINGS } from './src/statusCases/versionControlCases.js';
import { rowsOf } from './src/turns.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

const CALLERS = {
  service: ({ service }: World) => service,
  orgViewer: ({ orgViewer }: World) => orgViewer.session,
  tenantViewer: ({ tenantViewer }: World) => tenantViewer.session,
  powerUser: ({ powerUser }: World) => powerUser.session,
  author: ({ author }: World) => author.session,
} as const satisfies Record<string, (world: World) => Session>;
type Caller = keyof typeof CALLERS;

const USERS = ['orgViewer', 'tenantViewer', 'powerUser', 'author'] as const;
/** The callers that each role of the route table includes, besides the ADMIN. */
const INCLUDED: Record<Exclude<RouteRole, 'none'>, readonly Caller[]> = {
  any: ['service', ...USERS],
  project: ['service', ...USERS],
  TENANT_READER: ['service', 'tenantViewer', 'powerUser'],
  VIEWER: USERS,
  POWER_USER: ['powerUser', 'author'],
  AUTHOR: ['author'],
  ADMIN: [],
};

/** Rejected for another reason than the role of the caller. */
const OTHER_REASONS: Partial<Record<string, readonly Caller[]>> = {
  // The project itself fixes templates, but may not read that of a dashboard.
  fixDashboard: ['service'],
};

const isIncluded = ({ access: { role } }: Route, caller: Caller) =>
  role === 'none' || INCLUDED[role].includes(caller);
const callers = Object.keys(CALLERS) as Caller[];

describe.each(forms)('the roles of the route table ($form)', ({ form, start }) => {
  let server: TestServer;
  let world: World;
  let log: AnswerLog;

  beforeAll(async () => {
    server = await start({ ...WEBHOOK_SETTINGS, ...VERSION_CONTROL_SETTINGS });
    log = new AnswerLog(() => server.baseUrl);
    world = await makeStatusWorld(await createApi(server.credentials), server.credentials.adminOrgUserId);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** The statuses of the request of a route that would succeed, sent by other callers. */
  async function sendAs(route: Route, senders: readonly Caller[]): Promise<(readonly [Caller, number])[]> {
    return Promise.all(
      senders.map(async (caller) => {
        const request = await specimens[route.operationId as OperationId](world);
        const { status } = await log.send(route, { ...request, session: CALLERS[caller](world) });
        return [caller, status] as const;
      }),
    );
  }

  const rows = rowsOf(form, routes).map((route) => [route.operationId, route] as const);

  it.each(rows)('%s rejects callers without its role', async (_, route) => {
    const excluded = callers.filter((caller) => !isIncluded(route, caller));
    // A record that the caller may not see does not exist for it.
    const statuses = route.access.level ? [403, 404] : [403];
    const answers = await sendAs(route, excluded);
    expect(answers.filter(([, status]) => !statuses.includes(status))).toEqual([]);
  });

  it.each(rows.filter(([, { access, operationId }]) => !access.level && operationId !== 'invalidateToken'))(
    '%s accepts callers with its role',
    async (operationId, route) => {
      const others = OTHER_REASONS[operationId] ?? [];
      const included = callers.filter((caller) => isIncluded(route, caller) && !others.includes(caller));
      const answers = await sendAs(route, included);
      expect(answers.filter(([, status]) => status === 403)).toEqual([]);
    },
  );
});
