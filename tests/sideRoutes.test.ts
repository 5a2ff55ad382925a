import type { ValidationResult } from '@gatehouse/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApi, succeeded, unique, type Answer, type Api, type Session } from './src/api.js';
import { addOrgUser, addTenantUser, type Person } from './src/people.js';
import { forms, type TestServer } from './src/servers.js';
import {
  cardOf,
  FIX,
  makeValidationWorld,
  templateOf,
  VALIDATE,
  VALIDATE_ALL,
  type Batch,
  type ValidationWorld,
} from './src/validationWorld.js';

describe.each(forms)('routes that bypass the access decision ($form)', ({ start }) => {
  let server: TestServer;
  let api: Api;
  beforeAll(async () => {
    server = await start();
    api = await createApi(server.credentials);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  describe('validation and correction', () => {
    let world: ValidationWorld;
    let author: Session;
    let orgViewer: Session;
    beforeEach(async () => {
      world = await makeValidationWorld(api, server.credentials.adminOrgUserId);
      const open = async (role: 'AUTHOR' | 'VIEWER') =>
        api.openSession({ orgUserId: (await addOrgUser(api, role)).id }, world.project);
      author = await open('AUTHOR');
      orgViewer = await open('VIEWER');
    });

    const canary = () => unique('canary').toLowerCase().replaceAll('-', '_');
    const textOf = async (by: Session, path: string, body: object) => {
      const result = await by.post(path, body);
      const text = JSON.stringify(result.body).replaceAll(/"(requestId|validatedAt)":"[^"]*"/g, '');
      return { status: result.status, text };
    };

    it('fix returned the template of a private dashboard that was 404 for the caller', async () => {
      const secret = canary();
      const { id, title } = await world.createDashboard(
        templateOf(cardOf(world.connectionId, 'orders', secret)),
      );
      const callers = [author, orgViewer, world.tenantUser.session, world.otherTenantUser.session];
      for (const by of callers)
        for (const path of [FIX, VALIDATE]) {
          const hidden = await textOf(by, path, { dashboardId: id });
          expect(hidden).toEqual(await textOf(by, path, { dashboardId: 'd_none' }));
          expect(hidden.status).toBe(404);
          expect(hidden.text).not.toContain(secret);
          expect(hidden.text).not.toContain(title);
        }
      expect((await textOf(world.service, FIX, { dashboardId: id })).status).toBe(403);
      expect((await textOf(world.service, FIX, { dashboardId: 'd_none' })).status).toBe(403);
      expect((await textOf(world.admin, FIX, { dashboardId: id })).text).toContain(secret);
    });

    it('fix and validate are open to a VIEWER of the dashboard', async () => {
      const { id } = await world.createDashboard(templateOf(cardOf(world.connectionId, 'orders', 'id')));
      await api.share(world.admin, id, [{ scope: 'all_tenants_only', role: 'VIEWER' }]);
      for (const path of [FIX, VALIDATE])
        expect((await textOf(world.tenantUser.session, path, { dashboardId: id })).status).toBe(200);
      // The caller may not read the connection: it is not checked, and the dashboard does not become invalid.
      const seen = succeeded(
        await world.tenantUser.session.post<ValidationResult>(VALIDATE, { dashboardId: id }),
      );
      expect(seen.isValid).toBe(true);
      expect(seen.issues.map(({ code, severity }) => [code, severity])).toEqual([
        ['CATALOG_UNAVAILABLE', 'warning'],
      ]);
    });

    it('validate-all reported titles and columns of dashboards that the caller could not read', async () => {
      const secret = canary();
      const template = templateOf(cardOf(world.connectionId, 'orders', secret));
      const hidden = await world.createDashboard(template);
      const colleagues = await world.createDashboard(template, world.tenantUser.session);
      for (const by of [author, orgViewer, world.otherTenantUser.session])
        for (const filter of [{}, { ids: [hidden.id, colleagues.id] }]) {
          const batch = succeeded(await by.post<Batch>(VALIDATE_ALL, { filter }));
          expect(batch).toMatchObject({ totalDashboards: 0, results: [] });
        }
      const whole = succeeded(await world.service.post<Batch>(VALIDATE_ALL, {}));
      expect(whole).toMatchObject({ totalDashboards: 2, invalidDashboards: 2 });
    });

    it('validate-all revealed to an ADMIN the templates that it could list but not read', async () => {
      const secret = canary();
      const visual = await api.createVisual(world.tenantUser.session, { frameObject: {} });
      const broken = await world.createDashboard(
        templateOf(cardOf(world.connectionId, 'orders', secret)),
        world.tenantUser.session,
      );
      const linking = { sheets: [{ frames: [{ visualId: visual.id }] }] };
      const valid = await world.createDashboard(linking, world.tenantUser.session);
      const batch = await world.validateAll();
      expect(JSON.stringify(batch)).not.toContain(secret);
      expect(batch).toMatchObject({ totalDashboards: 2, validDashboards: 1, invalidDashboards: 1 });
      for (const [id, isValid] of [
        [broken.id, false],
        [valid.id, true],
      ] as const)
        expect(batch.results.find(({ dashboardId }) => dashboardId === id)).toMatchObject({
          isValid,
          issues: [],
          cardResults: [],
          resourceResults: { visuals: [] },
        });
    });

    it('validate named records and columns that the caller could not read', async () => {
      const visual = await api.createVisual(world.admin, { title: canary(), frameObject: {} });
      const templateWith = (ids: Record<string, string>) => ({
        sheets: [
          {
            frames: [
              { visualId: ids['visual'] },
              {
                cards: [
                  cardOf(ids['connection'] ?? '', 'orders', 'regoin'),
                  {
                    dataSource: {
                      mode: 'datamodel',
                      datamodelId: ids['datamodel'],
                      selectedEntities: [{ table: 'Orders' }],
                    },
                    fields: { columns: [{ column: 'amuont' }] },
                  },
                ].map((card) => ({ ...card, id: 'k' })),
              },
            ],
          },
        ],
        aiContext: { selectedEntities: [{ table: 'customres' }], assistantProfileId: ids['profile'] },
      });
      const { connectionId, datamodelId, assistantProfileId } = world;
      const real = { connection: connectionId, datamodel: datamodelId, profile: assistantProfileId };
      const ids = { ...real, visual: visual.id };
      const unknown = { connection: 'c_none', datamodel: 'dm_none', profile: 'ap_none', visual: 'v_none' };
      const neutral = (text: string, of: Record<string, string>) =>
        Object.entries(of).reduce((rest, [kind, id]) => rest.replaceAll(id, `<${kind}>`), text);
      for (const by of [orgViewer, world.tenantUser.session])
        for (const path of [VALIDATE, FIX]) {
          const existing = await textOf(by, path, { template: templateWith(ids) });
          const absent = await textOf(by, path, { template: templateWith(unknown) });
          expect(existing.status).toBe(200);
          expect(neutral(existing.text, ids)).toBe(neutral(absent.text, unknown));
        }
      const known = succeeded(await author.post<ValidationResult>(VALIDATE, { template: templateWith(ids) }));
      expect(JSON.stringify(known)).toContain('region');
      expect(JSON.stringify(known)).not.toContain(visual.title);
    });
  });

  it('the secret of a dashboard does not act for users of other tenants than its creator', async () => {
    const [north, south] = [await api.createTenant(), await api.createTenant()];
    const creator = await addTenantUser(api, north.id, 'POWER_USER');
    const [colleague, stranger] = [
      await addTenantUser(api, north.id, 'VIEWER'),
      await addTenantUser(api, south.id, 'VIEWER'),
    ];
    const { id: orgUserId } = await addOrgUser(api, 'AUTHOR');
    const { id: dashboardId, secret: dashboardSecret } = await api.createDashboard(creator.session);
    const issue = (identity: object) => api.requestToken({ dashboardId, dashboardSecret, ...identity });
    for (const identity of [
      { orgUserId },
      { endUserId: stranger.id },
      { endUserEmail: 'planted@south.example', tenantId: south.id, autoCreateEndUser: true },
    ])
      expect(await issue(identity)).toMatchObject({
        status: 400,
        body: { fieldErrors: [{ code: 'reference' }] },
      });
    for (const identity of [{}, { endUserId: colleague.id }])
      expect((await issue(identity)).status).toBe(200);
    const { users } = succeeded(
      await api.admin.get<{ users: unknown[] }>('/tenant-users?search=planted@south.example'),
    );
    expect(users).toEqual([]);
  });

  describe('a replay of an idempotent request', () => {
    const keyed = () => ({ 'idempotency-key': unique('key') });
    const setRole = async (id: string, role: string) =>
      succeeded(await api.admin.patch(`/org-users/${id}`, { role }));
    const isReplay = ({ headers }: Answer<unknown>) => headers.get('idempotency-replayed') === 'true';

    it('gave a project secret to an ADMIN who had been demoted', async () => {
      const admin = await addOrgUser(api, 'ADMIN');
      const [key, name] = [keyed(), unique('Project')];
      const create = () =>
        admin.session.post<{ project: { id: string; secret: string } }>('/projects', { name }, key);
      const first = succeeded(await create());
      await setRole(admin.id, 'AUTHOR');
      await expect.poll(async () => (await create()).status).toBe(403);
      const refused = await create();
      expect(isReplay(refused)).toBe(false);
      expect(JSON.stringify(refused.body)).not.toContain(first.project.secret);
      const { projects } = (await api.admin.get<{ projects: { name: string }[] }>('/projects')).body;
      expect(projects.filter((project) => project.name === name)).toHaveLength(1);
      await setRole(admin.id, 'ADMIN');
      await expect.poll(async () => isReplay(await create())).toBe(true);
      expect(succeeded(await create())).toEqual(first);
    });

    it('of a caller with a new role that still allows it creates nothing twice', async () => {
      const person = await addOrgUser(api, 'ADMIN');
      const [key, title] = [keyed(), unique('Once')];
      const create = () => person.session.post<{ dashboard: { id: string } }>('/dashboards', { title }, key);
      const first = succeeded(await create()).dashboard.id;
      await setRole(person.id, 'AUTHOR');
      await expect.poll(async () => isReplay(await create())).toBe(false);
      expect(succeeded(await create()).dashboard.id).toBe(first);
      const listed = await person.session.get<{ dashboards: unknown[] }>(`/dashboards?search=${title}`);
      expect(listed.body.dashboards).toHaveLength(1);
    });

    it('returned the unrestricted response to a token of the same user without the domain', async () => {
      const world = await makeValidationWorld(api, server.credentials.adminOrgUserId);
      const dataSource = { mode: 'domain', domainId: world.domainId, selectedEntities: [{ table: 'Oders' }] };
      const template = templateOf({ dataSource, fields: { columns: [{ column: 'id' }] } });
      const key = keyed();
      const ask = async (by: Session) => by.post(VALIDATE, { template }, key);
      const whole = await ask(world.admin);
      expect(JSON.stringify(whole.body)).toContain('"Orders"');
      const narrow = await ask(await world.narrowSession({ mode: 'none' }));
      expect([narrow.status, isReplay(narrow)]).toEqual([200, false]);
      expect(JSON.stringify(narrow.body)).toContain('DOMAIN_NOT_FOUND');
      expect(JSON.stringify(narrow.body)).not.toContain('"Orders"');
      expect(isReplay(await ask(world.admin))).toBe(false);
    });

    it('gave a token for a project secret that had been rotated', async () => {
      const project = await api.createProject();
      const key = keyed();
      const ask = (body: object) => api.admin.post<{ accessToken?: string }>('/api/v1/token', body, key);
      const first = succeeded(await ask(project));
      expect(succeeded(await ask(project))).toEqual(first);
      succeeded(await api.admin.post(`/projects/${project.projectId}/rotate-secret`));
      const refused = await ask(project);
      expect([refused.status, refused.body.accessToken]).toEqual([401, undefined]);
    });
  });

  it('the audit log and webhooks named semantic domains to an ADMIN whose token hides them', async () => {
    const world = await makeValidationWorld(api, server.credentials.adminOrgUserId);
    const narrow = await world.narrowSession({ mode: 'include', domains: [world.domainId] });
    const webhook = { url: 'https://example.com/', eventTypes: ['management.domain.created.v1'] };
    const answers = [
      await narrow.get('/audit-events'),
      await narrow.get('/audit-events/export'),
      await narrow.get('/webhooks'),
      await narrow.post('/webhooks', webhook),
    ];
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    const whole = await world.narrowSession({ mode: 'all' });
    expect((await whole.get('/audit-events')).status).toBe(200);
  });

  it('migrations named semantic domains to a caller whose token hides them', async () => {
    const world = await makeValidationWorld(api, server.credentials.adminOrgUserId);
    const admin = await world.narrowSession({ mode: 'all' });
    const narrow = await world.narrowSession({ mode: 'none' });
    const name = unique('hidden')
      .toLowerCase()
      .replaceAll(/[^a-z]/g, 'x');
    const domain = { name, label: 'Hidden', description: '' };
    const domainId = succeeded(await admin.post<{ domain: { id: string } }>('/api/v1/domains', domain)).domain
      .id;
    const card = { dataSource: { mode: 'domain', domainId, selectedEntities: [{ table: 'orders' }] } };
    const { id } = await world.createDashboard({ sheets: [{ frames: [{ cards: [card] }] }] });
    const target = await api.createProject();
    const wanted = { targetProjectId: target.projectId, connectionMapping: {}, domainsToCreate: [domainId] };
    const migrated = await admin.post<{ migrationId: string }>(`/dashboards/${id}/migrate`, wanted);
    const path = `/migrations/${succeeded(migrated).migrationId}`;
    const textOf = async (answer: Promise<Answer>) => JSON.stringify((await answer).body);
    expect(await textOf(admin.get(path))).toContain(name);
    expect(await textOf(narrow.get(`/api/v1/domains/${domainId}`))).not.toContain(name);
    for (const read of [path, '/migrations']) {
      const text = await textOf(narrow.get(read));
      expect(text).toContain('createDomain');
      expect(text).not.toContain(name);
    }
    expect(await textOf(narrow.post(`${path}/rollback`))).not.toContain(name);
  });

  it('the secret of a dashboard showed domains that the token of its creator hides', async () => {
    const world = await makeValidationWorld(api, server.credentials.adminOrgUserId);
    const admin = await world.narrowSession({ mode: 'all' });
    const name = unique('hidden')
      .toLowerCase()
      .replaceAll(/[^a-z]/g, 'x');
    const created = await admin.post<{ domain: { id: string } }>('/api/v1/domains', { name, label: name });
    const domainId = succeeded(created).domain.id;
    const card = { dataSource: { mode: 'domain', domainId, selectedEntities: [{ table: 'orders' }] } };
    const template = { sheets: [{ frames: [{ cards: [card] }] }] };
    const { projectId: targetProjectId } = await api.createProject();
    const analyse = async (creator: Session) => {
      const { id: dashboardId, secret: dashboardSecret } = await api.createDashboard(creator, { template });
      const identity = { dashboardId, dashboardSecret, orgUserId: server.credentials.adminOrgUserId };
      const { accessToken } = succeeded(await api.requestToken(identity));
      const path = `/dashboards/${dashboardId}/migrate/analysis?targetProjectId=${targetProjectId}`;
      const headers = { authorization: `Bearer ${accessToken}` };
      const response = await fetch(`${server.baseUrl}/api/management/v1${path}`, { headers });
      return { status: response.status, text: await response.text() };
    };
    expect(await analyse(admin)).toEqual({ status: 200, text: expect.stringContaining(name) });
    const hidden = await analyse(await world.narrowSession({ mode: 'none' }));
    expect(hidden).toEqual({ status: 200, text: expect.not.stringContaining(name) });
  });

  it('a rollback named a visual that its caller could not see any more', async () => {
    const author = await addOrgUser(api, 'AUTHOR');
    const { id: visualId, title } = await api.createVisual(author.session);
    const template = { sheets: [{ id: 's', frames: [{ id: 'f', visualId }] }] };
    const source = await api.createDashboard(author.session, { template });
    const project = await api.createProject();
    const request = {
      targetProjectId: project.projectId,
      connectionMapping: {},
      visualsToCreate: [visualId],
    };
    const { migrationId, dashboard, createdResources } = succeeded(
      await author.session.post<{
        migrationId: string;
        dashboard: { id: string };
        createdResources: { visuals: { newId: string }[] };
      }>(`/dashboards/${source.id}/migrate`, request),
    );
    const newId = createdResources.visuals[0]?.newId;
    const there = (identity: object) => api.openSession(identity, project);
    const admin = await there({ orgUserId: server.credentials.adminOrgUserId });
    const authorThere = await there({ orgUserId: author.id });
    succeeded(await admin.post(`/visuals/${newId}/take-ownership`));
    succeeded(await admin.patch(`/visuals/${newId}`, { title: 'Hidden' }));
    succeeded(await authorThere.delete(`/dashboards/${dashboard.id}`));
    expect((await authorThere.get(`/visuals/${newId}`)).status).toBe(404);
    const refused = await author.session.post<{ details: object }>(`/migrations/${migrationId}/rollback`);
    expect(refused.status).toBe(409);
    expect(refused.body.details).toMatchObject({ blockedBy: [{ id: newId, title }] });
  });

  describe('membership of a group', () => {
    const membersPath = (id: string) => `/groups/${id}/members`;
    const addTo = async (groupId: string, by: Person, user: Person) =>
      by.session.post<{ code?: string; error?: string }>(membersPath(groupId), { userIds: [user.id] });

    it('let an AUTHOR join a group and edit what was 404', async () => {
      const [owner, author, other] = await Promise.all([
        addOrgUser(api, 'AUTHOR'),
        addOrgUser(api, 'AUTHOR'),
        addOrgUser(api, 'VIEWER'),
      ]);
      const group = await api.createGroup([]);
      const { id } = await api.createDashboard(owner.session);
      const path = `/dashboards/${id}`;
      await api.share(owner.session, id, [{ scope: 'group', groupId: group.id, role: 'EDITOR' }]);
      for (const user of [author, other]) {
        const refused = await addTo(group.id, author, user);
        expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
        expect(JSON.stringify(refused.body)).not.toContain(id);
      }
      expect((await author.session.patch(path, { title: 'Taken' })).status).toBe(404);
      expect((await api.admin.get<{ members: unknown[] }>(membersPath(group.id))).body.members).toEqual([]);

      const lend = (role: string) =>
        api.share(owner.session, id, [{ scope: 'specific_org_user', orgUserId: author.id, role }]);
      await lend('VIEWER');
      expect((await addTo(group.id, author, other)).status).toBe(403);
      await lend('EDITOR');
      expect((await addTo(group.id, author, other)).status).toBe(200);
      const { admin } = api;
      const byAdmin = await admin.post(membersPath(group.id), { userIds: [author.id] });
      expect(byAdmin.status).toBe(200);
    });

    it('let an AUTHOR join a group by a share of another project, or of a visual', async () => {
      const project = await api.createProject();
      const owner = await addOrgUser(api, 'AUTHOR');
      const author = await addOrgUser(api, 'AUTHOR');
      const elsewhere = await api.openSession({ orgUserId: owner.id }, project);
      const [far, near] = [await api.createGroup([]), await api.createGroup([])];
      const { id } = await api.createDashboard(elsewhere);
      await api.share(elsewhere, id, [{ scope: 'group', groupId: far.id, role: 'VIEWER' }]);
      const visual = await api.createVisual(owner.session);
      const shares = [{ scope: 'group', groupId: near.id, role: 'VIEWER' }];
      succeeded(await owner.session.post(`/visuals/${visual.id}/share`, { shares }));
      for (const group of [far, near]) {
        expect((await addTo(group.id, author, author)).status).toBe(403);
        expect((await addTo(group.id, owner, author)).status).toBe(200);
        // Members already have the access: adding them again changes nothing.
        expect((await addTo(group.id, author, author)).status).toBe(200);
      }
    });

    it('stays open to an AUTHOR if nothing is shared with the group', async () => {
      const author = await addOrgUser(api, 'AUTHOR');
      const tenant = await api.createTenant();
      const user = await addTenantUser(api, tenant.id, 'VIEWER');
      const group = await api.createGroup([], tenant.id);
      expect((await addTo(group.id, author, user)).status).toBe(200);
    });
  });
});
