import type { Domain, DomainErrorBody, ModelTemplate } from '@gatehouse/contract';
import {
  DOMAIN_ACCESS_CASES,
  DOMAIN_CALLERS,
  DOMAIN_VERBS,
  domainAccessOf,
  domainOutcome,
  type DomainCaller,
  type DomainVerb,
} from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, openSession, succeeded, type Api, type Identity, type Session } from './src/api.js';
import { addPeople, type People } from './src/people.js';
import { createConnection, createDomain, uniqueDomainName } from './src/semanticRecords.js';
import { forms, type TestServer } from './src/servers.js';

const PATHS = ['/api/v1/domains', '/api/management/v1/domains'] as const;
const [DOMAINS] = PATHS;
const TEMPLATE = { datasets: [{ name: 'orders', table: 'orders' }] };

describe.each(forms)('semantic domains over HTTP ($form)', ({ start }) => {
  let server: TestServer;
  let api: Api;
  let people: People;
  let admin: Session;
  let dashboard: { id: string; secret: string };

  beforeAll(async () => {
    server = await start();
    api = await createApi(server.credentials);
    people = await addPeople(api);
    admin = api.admin;
    dashboard = await api.createDashboard(people.author.session);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** A session of each kind of caller, with a token with this access. */
  async function openAs(caller: DomainCaller, semanticDomainAccess: Identity['semanticDomainAccess']) {
    const access = semanticDomainAccess === undefined ? {} : { semanticDomainAccess };
    const orgAdmin = { orgUserId: people.admin.id };
    const tenantViewer = { endUserId: people.tenant.viewer.id };
    const onDashboard = async (identity: Identity) => {
      const credentials = { dashboardId: dashboard.id, dashboardSecret: dashboard.secret };
      const { accessToken } = succeeded(await api.requestToken({ ...credentials, ...identity, ...access }));
      return openSession(server.baseUrl, accessToken);
    };
    const inProject = (identity: Identity) => api.openSession({ ...identity, ...access });
    const open: Record<DomainCaller, () => Promise<Session>> = {
      orgAdmin: () => inProject(orgAdmin),
      orgAuthor: () => inProject({ orgUserId: people.author.id }),
      orgViewer: () => inProject({ orgUserId: people.orgViewer.id }),
      tenantPowerUser: () => inProject({ endUserId: people.tenant.powerUser.id }),
      tenantViewer: () => inProject(tenantViewer),
      service: () => inProject({}),
      orgAdminOnDashboard: () => onDashboard(orgAdmin),
      tenantViewerOnDashboard: () => onDashboard(tenantViewer),
      anonymousOnDashboard: () => onDashboard({}),
    };
    return open[caller]();
  }

  const requests: Record<
    DomainVerb,
    (session: Session, id: string) => Promise<{ status: number; body: object }>
  > = {
    list: (session) => session.get(DOMAINS),
    get: (session, id) => session.get(`${DOMAINS}/${id}`),
    getTemplate: (session, id) => session.get(`${DOMAINS}/${id}/template`),
    create: (session) => session.post(DOMAINS, { name: uniqueDomainName() }),
    update: (session, id) => session.patch(`${DOMAINS}/${id}`, { label: 'Changed' }),
    putTemplate: (session, id) => session.put(`${DOMAINS}/${id}/template`, TEMPLATE),
    // Last, because it deletes the domain.
    delete: (session, id) => session.delete(`${DOMAINS}/${id}`),
  };
  const VERBS = Object.keys(requests) as DomainVerb[];
  const OUTCOMES: Record<number, string> = { 200: 'yes', 201: 'yes', 403: 'no', 404: 'hidden' };

  describe('who may do what', () => {
    it('is tested for every verb', () => {
      expect(new Set(VERBS)).toEqual(new Set(DOMAIN_VERBS));
    });

    it.each(DOMAIN_CALLERS)('%s, with every access that a token may have', async (caller) => {
      for (const access of DOMAIN_ACCESS_CASES) {
        const [domain, other] = [await createDomain(admin), await createDomain(admin)];
        const session = await openAs(caller, domainAccessOf(access, domain, other));
        const outcomes: Record<string, unknown> = { access };
        for (const verb of VERBS) {
          const { status, body } = await requests[verb](session, domain.id);
          const isListed = verb !== 'list' || JSON.stringify(body).includes(domain.id);
          outcomes[verb] = status === 200 && !isListed ? 'hidden' : (OUTCOMES[status] ?? status);
        }
        const expected = VERBS.map((verb) => [verb, domainOutcome(caller, access, verb)]);
        expect(outcomes).toEqual({ access, ...Object.fromEntries(expected) });
      }
    });
  });

  describe('a token', () => {
    const requestWith = (mode: string, domains: string[]) =>
      api.requestToken({ ...api.project, semanticDomainAccess: { mode, domains } });

    it.each(['include', 'exclude'])(
      'to %s domains that do not exist is refused, and they are listed',
      async (mode) => {
        const { id, name } = await createDomain(admin);
        const foreign = await createDomain(
          await api.openSession({ orgUserId: people.admin.id }, await api.createProject()),
        );
        const { status, body } = await requestWith(mode, [name, 'none', id, foreign.id, 'dom_none']);
        const message = `unknown semantic domains: none, ${foreign.id}, dom_none`;
        const fieldErrors = [{ field: 'semanticDomainAccess.domains', message }];
        expect([status, body]).toMatchObject([400, { fieldErrors }]);
        expect((await requestWith(mode, [name, id])).status).toBe(200);
      },
    );

    it('resolves a name to the domain that has it at the time of use', async () => {
      const { id, name } = await createDomain(admin);
      const semanticDomainAccess = { mode: 'include' as const, domains: [name] };
      const session = await api.openSession({ semanticDomainAccess });
      expect((await session.get(`${DOMAINS}/${id}`)).status).toBe(200);
      succeeded(await admin.patch(`${DOMAINS}/${id}`, { name: uniqueDomainName() }));
      expect((await session.get(`${DOMAINS}/${id}`)).status).toBe(404);
      const heir = await createDomain(admin, { name });
      expect((await session.get<{ domain: Domain }>(`${DOMAINS}/${heir.id}`)).body.domain).toEqual(heir);
    });
  });

  describe.each(PATHS)('under %s', (path) => {
    const create = async (fields: object) =>
      succeeded(await admin.post<{ domain: Domain }>(path, fields)).domain;

    it('a domain is created, read, changed by PUT and by PATCH, and deleted', async () => {
      const name = uniqueDomainName();
      const created = await admin.post<{ domain: Domain }>(path, { name });
      expect(created.status).toBe(201);
      const { domain } = created.body;
      expect(domain).toMatchObject({
        name,
        label: name,
        description: '',
        createdBy: server.credentials.adminOrgUserId,
      });
      expect(domain.projectId).toBe(api.project.projectId);
      for (const other of PATHS) {
        const { body } = await admin.get<{ domain: Domain }>(`${other}/${domain.id}`);
        expect(body).toEqual({ domain });
        const { domains } = succeeded(await admin.get<{ domains: Domain[] }>(other));
        expect(domains).toContainEqual(domain);
      }
      const put = succeeded(
        await admin.put<{ domain: Domain }>(`${path}/${domain.id}`, { label: 'Put' }),
      ).domain;
      const patched = succeeded(
        await admin.patch<{ domain: Domain }>(`${path}/${domain.id}`, { description: 'Patched' }),
      ).domain;
      expect([put, patched]).toMatchObject([
        { name, label: 'Put', description: '' },
        { name, label: 'Put', description: 'Patched' },
      ]);
      const { status, body } = await admin.delete(`${path}/${domain.id}`);
      expect([status, body]).toMatchObject([200, { deletedDomain: { id: domain.id, name } }]);
      expect((await admin.get(`${path}/${domain.id}`)).status).toBe(404);
    });

    it('an error names the fault in the form of the area', async () => {
      const { name, id } = await create({ name: uniqueDomainName() });
      const requests400: [string, Promise<{ status: number; body: DomainErrorBody }>][] = [
        ['name', admin.post(path, { name: 'Not_Lower' })],
        ['name', admin.post(path, {})],
        ['label', admin.post(path, { name: uniqueDomainName(), label: '' })],
        ['colour', admin.post(path, { name: uniqueDomainName(), colour: 'red' })],
        ['body', admin.patch(`${path}/${id}`, {})],
        ['body', admin.put(`${path}/${id}`, {})],
        [
          'datasets[0].connectionId',
          admin.put(`${path}/${id}/template`, {
            datasets: [{ name: 'a', table: 'a', connectionId: 'c_none' }],
          }),
        ],
      ];
      for (const [field, request] of requests400) {
        const { status, body } = await request;
        const context = expect.objectContaining({ field }) as unknown;
        const fault = { code: 'INVALID_REQUEST', severity: 'error', context };
        const errors = expect.arrayContaining([expect.objectContaining(fault)]) as unknown;
        expect([field, status, body]).toMatchObject([field, 400, { errors, warnings: [] }]);
      }
      const conflict = await admin.post<DomainErrorBody>(path, { name });
      expect([conflict.status, conflict.body.errors]).toMatchObject([
        409,
        [{ code: 'CONFLICT', context: { field: 'name' } }],
      ]);
      const anonymous = await openSession(server.baseUrl, 'nonsense').get<DomainErrorBody>(path);
      expect([anonymous.status, anonymous.body.errors]).toMatchObject([401, [{ code: 'UNAUTHENTICATED' }]]);
      const hidden = await admin.get<DomainErrorBody>(`${path}/dom_none`);
      expect([hidden.status, hidden.body.errors]).toMatchObject([404, [{ code: 'NOT_FOUND' }]]);
    });

    it('an entity tag covers the template of the domain', async () => {
      const { id } = await create({ name: uniqueDomainName() });
      const connection = await createConnection(admin);
      const datasets = [{ name: 'orders', connectionId: connection.id, table: 'orders' }];
      const read = await admin.get<{ template: ModelTemplate }>(`${path}/${id}/template`);
      const tag = read.headers.get('etag') ?? '';
      const condition = { 'if-match': tag };
      const written = await admin.put<{ template: ModelTemplate }>(
        `${path}/${id}/template`,
        { datasets },
        condition,
      );
      expect(succeeded(written).template).toEqual({ datasets, relationships: [], calculatedFields: [] });
      expect((await admin.put(`${path}/${id}/template`, {}, condition)).status).toBe(412);
      expect((await admin.patch(`${path}/${id}`, { label: 'x' }, condition)).status).toBe(412);
      const again = await people.orgViewer.session.get<{ template: ModelTemplate }>(`${path}/${id}/template`);
      expect(again.body.template.datasets).toEqual(datasets);
    });
  });
});
