import { performance } from 'node:perf_hooks';
import { isDeepStrictEqual } from 'node:util';
import { Principal, routes, type DashboardWithSecret, type Project } from '@gatehouse/contract';
import { createInternalTokenSigner, newSecret } from '@gatehouse/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession, succeeded, unique, type Api } from './src/api.js';
import { forgeTokens } from './src/attacks/forgeries.js';
import { startOwnedPlatform, type OwnedPlatform } from './src/attacks/ownedPlatform.js';
import { attack, EVERYWHERE, TO_DASHBOARD, withoutRequestId, type Target } from './src/attacks/targets.js';
import { readSigningKey, readToken, signedBy, writeToken } from './src/attacks/tokens.js';
import { pathOf } from './src/badInput/routeRequests.js';
import {
  findUnreadCollections,
  readSettledDocuments,
  readStoredDocuments,
} from './src/badInput/storedDocuments.js';
import { addOrgUser, addPeople, addTenantUser, type People } from './src/people.js';
import { forms, type Form } from './src/servers.js';

const NOWHERE = 'd_nowhere';
const ROUNDS = 40;
const nowSeconds = () => Math.floor(Date.now() / 1000);
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

describe.each(forms.map(({ form }) => form))('%s', (form: Form) => {
  let platform: OwnedPlatform;
  let api: Api;
  let people: People;
  let dashboard: DashboardWithSecret;

  beforeAll(async () => {
    platform = await startOwnedPlatform(form);
    api = platform.api;
    people = await addPeople(api);
    dashboard = await api.createDashboard(people.author.session);
  });
  afterAll(() => platform[Symbol.asyncDispose]());

  const ask = (token: string | null, targets: readonly Target[] = EVERYWHERE, dashboardId = dashboard.id) =>
    attack(targets, { baseUrl: api.baseUrl, token, dashboardId });
  const dashboardToken = async (fields: object = {}) => {
    const { id: dashboardId, secret: dashboardSecret } = dashboard;
    return succeeded(await api.requestToken({ dashboardId, dashboardSecret, ...fields })).accessToken;
  };

  /** The tokens that can be distinguished from no token at all, each with its response. */
  async function findAdmitted(tokens: Record<string, string>) {
    const stored = await readSettledDocuments(platform.mongo.databases);
    const asNobody = await ask(null);
    for (const answer of Object.values(asNobody)) {
      expect(answer).toMatchObject({ status: 401, challenge: 'Bearer' });
    }
    const admitted: unknown[] = [];
    for (const [name, token] of Object.entries(tokens)) {
      const answers = await ask(token);
      if (!isDeepStrictEqual(answers, asNobody)) admitted.push({ name, answers });
    }
    expect(await readStoredDocuments(platform.mongo.databases)).toEqual(stored);
    return admitted;
  }

  describe('a forged token', () => {
    it('is rejected for every fault, without revealing the fault', async () => {
      const { token } = await api.openSession({ orgUserId: people.author.id });
      const parts = readToken(token);
      const key = await readSigningKey(platform);
      // Each forgery differs from this token in one thing, and this one is valid: the same claims, signed
      // again.
      const again = openSession(api.baseUrl, writeToken(parts, signedBy(key)));
      expect((await again.get(`/dashboards/${dashboard.id}`)).status).toBe(200);
      expect(await findAdmitted(forgeTokens({ token, parts, key, now: nowSeconds() }))).toEqual([]);
    });

    it('may be an internal token, which only services accept', async () => {
      const signer = await createInternalTokenSigner(platform.internalKeys.signingKey);
      const { projectId, organizationId, sub: userKey } = readToken(people.admin.session.token).claims;
      const admin = Principal.parse({
        kind: 'orgUser',
        tokenType: 'project',
        tokenId: 'internal',
        tokenExpiresAt: nowSeconds() + 60,
        projectId,
        organizationId,
        userId: people.admin.id,
        userKey,
        email: 'admin@example.com',
        role: 'ADMIN',
        groupIds: [],
      });
      const admitted = await findAdmitted({
        'of a user': await signer.sign(admin),
        'of the gateway': await signer.sign({ kind: 'system', name: 'gateway' }),
        'of the operator': await signer.sign({ kind: 'system', name: 'operator' }),
      });
      expect(admitted).toEqual([]);
    });
  });

  describe('a token that was valid', () => {
    it('is invalid after its revocation, unlike another one of the same user', async () => {
      const revoked = await api.openSession({ orgUserId: people.author.id });
      const other = await api.openSession({ orgUserId: people.author.id });
      succeeded(await revoked.post('/api/v1/invalidate-token'));
      expect(await findAdmitted({ revoked: revoked.token })).toEqual([]);
      expect((await other.get('/dashboards')).status).toBe(200);
    });

    it('is invalid after its user is deactivated or deleted, and no other is issued', async () => {
      const [off, gone] = [await addOrgUser(api, 'AUTHOR'), await addOrgUser(api, 'ADMIN')];
      const offEnd = await addTenantUser(api, people.tenant.id, 'POWER_USER');
      const goneEnd = await addTenantUser(api, people.tenant.id, 'VIEWER');
      succeeded(await api.admin.patch(`/org-users/${off.id}`, { isActive: false }));
      succeeded(await api.admin.patch(`/tenant-users/${offEnd.id}`, { isActive: false }));
      succeeded(await api.admin.delete(`/org-users/${gone.id}`));
      succeeded(await api.admin.delete(`/tenant-users/${goneEnd.id}`));
      const admitted = await findAdmitted({
        'deactivated org user': off.session.token,
        'deactivated tenant user': offEnd.session.token,
        'deleted org user': gone.session.token,
        'deleted tenant user': goneEnd.session.token,
      });
      expect(admitted).toEqual([]);
      for (const [field, { id }] of [
        ['orgUserId', off],
        ['orgUserId', gone],
        ['endUserId', offEnd],
        ['endUserId', goneEnd],
      ] as const) {
        expect((await api.requestToken({ ...api.project, [field]: id })).status).toBeOneOf([400, 401]);
      }
    });

    it.each([
      ['an ADMIN who becomes AUTHOR', 'ADMIN', { role: 'AUTHOR' }, ['POST', '/tenants', { name: 'T' }]],
      ['an AUTHOR who becomes VIEWER', 'AUTHOR', { role: 'VIEWER' }, ['POST', '/dashboards', { title: 'T' }]],
    ] as const)(
      'does at once no more than its user may: %s',
      async (_, role, change, [method, path, fields]) => {
        const { id, session } = await addOrgUser(api, role);
        const body = Object.fromEntries(Object.keys(fields).map((key) => [key, unique('T')]));
        expect((await session.send(method, path, { body })).status).toBe(201);
        succeeded(await api.admin.patch(`/org-users/${id}`, change));
        expect((await session.send(method, path, { body })).status).toBe(403);
      },
    );
  });

  describe('a dashboard token', () => {
    it('is rejected on every route that is not for its dashboard, without revealing records', async () => {
      const other = await api.createDashboard(people.author.session);
      const tokens = {
        anonymous: await dashboardToken(),
        'of the owner': await dashboardToken({ orgUserId: people.author.id }),
        'of an ADMIN': await dashboardToken({ orgUserId: people.admin.id }),
      };
      const refused = routes.filter(
        ({ tokens: taken }) => taken === 'project' || taken === 'projectOrOwnDashboard',
      );
      const stored = await readSettledDocuments(platform.mongo.databases);
      for (const token of Object.values(tokens)) {
        const session = openSession(api.baseUrl, token);
        for (const route of refused) {
          const answers = await Promise.all(
            [other.id, NOWHERE].map((id) => session.send<object>(route.method, pathOf(route, { id }))),
          );
          const [there, nowhere] = answers.map((answer) => withoutRequestId(answer));
          expect([route.operationId, there?.status]).toEqual([route.operationId, 403]);
          expect(there).toEqual(nowhere);
        }
      }
      expect(await readStoredDocuments(platform.mongo.databases)).toEqual(stored);
    });

    it('may view its dashboard, and nothing else without an identity', async () => {
      const answers = await ask(await dashboardToken(), TO_DASHBOARD);
      const allowed = Object.entries(answers).filter(([, { status }]) => status !== 403);
      expect(allowed.map(([name, { status }]) => [name, status])).toEqual([['GET /dashboards/:id', 200]]);
    });

    it('is not issued for the secret of another dashboard, or with one that was rotated', async () => {
      const other = await api.createDashboard(people.author.session);
      const former = { dashboardId: other.id, dashboardSecret: other.secret };
      succeeded(await api.requestToken(former));
      succeeded(await people.author.session.post(`/dashboards/${other.id}/rotate-secret`));
      const attempts = [former, { dashboardId: dashboard.id, dashboardSecret: other.secret }];
      for (const attempt of attempts) expect((await api.requestToken(attempt)).status).toBe(401);
    });
  });

  describe('a token of another project', () => {
    it('finds no record of this one, not even for an ADMIN or the owner', async () => {
      const elsewhere = await api.createProject();
      for (const orgUserId of [people.admin.id, people.author.id]) {
        const session = await api.openSession({ orgUserId }, elsewhere);
        const [here, nowhere] = [
          await ask(session.token, TO_DASHBOARD),
          await ask(session.token, TO_DASHBOARD, NOWHERE),
        ];
        expect(here).toEqual(nowhere);
        expect(here['GET /dashboards/:id']?.status).toBe(404);
        const scope = orgUserId === people.admin.id ? '?scope=organization' : '';
        expect(succeeded(await session.get(`/dashboards${scope}`))).toMatchObject({ dashboards: [] });
        const shares = await Promise.all(
          [dashboard.id, NOWHERE].map((id) => session.get<object>(`/dashboards/${id}/shares${scope}`)),
        );
        expect(shares.map(({ status }) => status)).toEqual([404, 404]);
        const [there, nowhereElse] = shares.map((answer) => withoutRequestId(answer));
        expect(there).toEqual(nowhereElse);
      }
    });

    it('is not issued for the secret of this one, and a rotated secret is invalid immediately', async () => {
      const elsewhere = await api.createProject();
      const mixed = { projectId: elsewhere.projectId, projectSecret: api.project.projectSecret };
      expect((await api.requestToken(mixed)).status).toBe(401);
      succeeded(await api.admin.post<{ project: Project }>(`/projects/${elsewhere.projectId}/rotate-secret`));
      expect((await api.requestToken({ ...elsewhere })).status).toBe(401);
    });
  });

  it('returns the same error as fast for a wrong id, a wrong secret and an unknown project', async () => {
    const { projectId, projectSecret } = api.project;
    const attempts = {
      'wrong project secret': { projectId, projectSecret: newSecret() },
      'secret of another project': { projectId, projectSecret: (await api.createProject()).projectSecret },
      'unknown project': { projectId: 'p_nowhere', projectSecret },
      'wrong dashboard secret': { dashboardId: dashboard.id, dashboardSecret: newSecret() },
      'unknown dashboard': { dashboardId: NOWHERE, dashboardSecret: dashboard.secret },
    };
    const times = new Map(Object.keys(attempts).map((name) => [name, [] as number[]]));
    const bodies = new Set<string>();
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, attempt] of Object.entries(attempts)) {
        const startedAt = performance.now();
        const answer = await api.requestToken(attempt);
        times.get(name)?.push(performance.now() - startedAt);
        bodies.add(JSON.stringify(withoutRequestId(answer)));
      }
    }
    expect([...bodies].map((body) => (JSON.parse(body) as { status: number }).status)).toEqual([401]);
    const medians = Object.fromEntries([...times].map(([name, values]) => [name, median(values)]));
    for (const noun of ['project', 'dashboard']) {
      const alike = Object.entries(medians).flatMap(([name, value]) => (name.includes(noun) ? [value] : []));
      const isAsFast = Math.max(...alike) < 2 * Math.min(...alike) + 1;
      expect({ medians, isAsFast }).toEqual({ medians, isAsFast: true });
    }
  });

  it('created no collection that is not compared', async () => {
    expect(await findUnreadCollections(platform.mongo.databases)).toEqual([]);
  });
});
