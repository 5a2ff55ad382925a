import type { TemplateFix, ValidationResult } from '@gatehouse/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createApi, openSession, succeeded, type Api, type Session } from './src/api.js';
import { forms, type TestServer } from './src/servers.js';
import {
  cardOf,
  createStaticConnection,
  FIX,
  makeValidationWorld,
  replaceCatalog,
  templateOf,
  VALIDATE,
  VALIDATE_ALL,
  type Batch,
  type ValidationWorld,
} from './src/validationWorld.js';

interface Fixed {
  dashboardId: string | null;
  patch: { op: string; path: string; value: string }[];
  fixes: TemplateFix[];
  template: object | null;
  result: ValidationResult;
}

const CARD = '/sheets/0/frames/0/cards/0';
const problemsOf = ({ issues }: ValidationResult) => issues.map(({ code, path }) => `${code} ${path}`);
const idsOf = ({ results }: Batch) => results.map(({ dashboardId }) => String(dashboardId)).toSorted();

describe.each(forms)('dashboard validation over HTTP ($form)', ({ start }) => {
  let server: TestServer;
  let api: Api;
  let world: ValidationWorld;

  beforeAll(async () => {
    server = await start();
    api = await createApi(server.credentials);
  });
  afterAll(() => server[Symbol.asyncDispose]());
  beforeEach(async () => {
    world = await makeValidationWorld(api, server.credentials.adminOrgUserId);
  });

  const validate = async (body: Record<string, unknown>, by: Session = world.admin) =>
    succeeded(await by.post<ValidationResult>(VALIDATE, body));
  const refusal = async (path: string, body: Record<string, unknown>, by: Session = world.admin) => {
    const { status, body: answer } = await by.post<{ code: string; error: string; details: unknown }>(
      path,
      body,
    );
    return [status, answer.code];
  };

  /** A template that refers to one record of each kind. */
  function wholeTemplate(visualId: string) {
    const { connectionId, domainId, datamodelId, assistantProfileId } = world;
    const selectedEntities = [{ table: 'Orders' }];
    const fields = { metrics: [{ entity: 'Orders', column: 'amount' }] };
    const cards = [
      {
        ...cardOf(connectionId, 'orders', 'id', 'region'),
        filters: [{ column: 'region', operator: '=', value: 'x' }],
      },
      { id: 'k2', dataSource: { mode: 'domain', domainId, selectedEntities }, fields },
      { id: 'k3', dataSource: { mode: 'datamodel', datamodelId, selectedEntities }, fields },
      { id: 'k4', dataSource: { connectionId }, sql: 'select 1' },
    ];
    return {
      sheets: [
        {
          id: 's1',
          frames: [
            { id: 'f1', cards },
            { id: 'f2', visualId },
          ],
        },
      ],
      filters: [{ entity: 'orders', column: 'region' }],
      aiContext: { selectedEntities: [{ table: 'customers' }], assistantProfileId },
    };
  }

  describe('of one dashboard', () => {
    it('reports no issues of a dashboard with valid references', async () => {
      const visual = await api.createVisual(world.admin, {
        frameObject: { cards: [cardOf(world.connectionId, 'customers', 'name')] },
      });
      const { id, title } = await world.createDashboard(wholeTemplate(visual.id));
      const result = await validate({ dashboardId: id });
      expect(result).toMatchObject({ dashboardId: id, dashboardTitle: title, isValid: true, issues: [] });
      expect(result.summary).toEqual({
        totalCards: 4,
        validCards: 4,
        invalidCards: 0,
        totalFields: 4,
        validFields: 4,
        invalidFields: 0,
        totalFilters: 2,
        validFilters: 2,
        invalidFilters: 0,
        totalJoins: 0,
        validJoins: 0,
        invalidJoins: 0,
        totalConnections: 1,
        validConnections: 1,
        invalidConnections: 0,
        totalDatasets: 3,
        validDatasets: 3,
        invalidDatasets: 0,
        totalDatamodels: 1,
        validDatamodels: 1,
        invalidDatamodels: 0,
      });
      const { connections, visuals, domains, assistantProfiles } = result.resourceResults;
      expect([connections, visuals, domains, assistantProfiles].map(([first]) => first?.id)).toEqual([
        world.connectionId,
        visual.id,
        world.domainId,
        world.assistantProfileId,
      ]);
    });

    it('finds faults, with their location and a suggestion', async () => {
      const template = templateOf(
        cardOf(world.connectionId, 'orders', 'regoin'),
        cardOf(world.unreadConnectionId, 'x', 'y'),
      );
      const { id } = await world.createDashboard(template);
      const { isValid, issues, validatedAt } = await validate({ dashboardId: id });
      expect(isValid).toBe(false);
      expect(Math.abs(Date.now() - Date.parse(validatedAt))).toBeLessThan(60_000);
      expect(issues).toEqual([
        {
          code: 'FIELD_NOT_FOUND',
          severity: 'error',
          path: `${CARD}/fields/columns/0/column`,
          message: 'There is no column regoin in orders',
          field: 'regoin',
          entity: 'orders',
          suggestions: ['region'],
          availableColumns: ['id', 'region', 'amount'],
        },
        expect.objectContaining({ code: 'CATALOG_UNAVAILABLE', severity: 'warning' }),
      ]);
    });

    it('uses a changed catalog immediately', async () => {
      const { id } = await world.createDashboard(templateOf(cardOf(world.connectionId, 'orders', 'region')));
      expect((await validate({ dashboardId: id })).isValid).toBe(true);
      await replaceCatalog(world.admin, world.connectionId, { orders: ['id'] });
      expect(problemsOf(await validate({ dashboardId: id }))).toEqual([
        `FIELD_NOT_FOUND ${CARD}/fields/columns/0/column`,
      ]);
    });

    it('follows links from visual to visual, and in a cycle', async () => {
      const broken = await api.createVisual(world.admin, {
        frameObject: { cards: [cardOf('c_none', 't', 'x')] },
      });
      const outer = await api.createVisual(world.admin, { frameObject: { visualId: broken.id } });
      const circle = await api.createVisual(world.admin);
      succeeded(await world.admin.patch(`/visuals/${circle.id}`, { frameObject: { visualId: circle.id } }));
      const template = {
        sheets: [{ frames: [{ visualId: outer.id }, { visualId: circle.id }, { visualId: 'v_none' }] }],
      };
      expect(problemsOf(await validate({ template }))).toEqual([
        'VISUAL_INVALID /sheets/0/frames/0/visualId',
        'VISUAL_NOT_FOUND /sheets/0/frames/2/visualId',
      ]);
    });

    it('accepts either an unsaved template or a dashboard', async () => {
      const template = templateOf(cardOf('c_none', 'orders', 'id'));
      const result = await validate({ template });
      expect(result).toMatchObject({ dashboardId: null, dashboardTitle: null, isValid: false });
      expect(problemsOf(result)).toEqual([`CONNECTION_NOT_FOUND ${CARD}/dataSource/connectionId`]);
      expect(await refusal(VALIDATE, { template, dashboardId: 'd_1' })).toEqual([400, 'INVALID_REQUEST']);
      expect(await refusal(VALIDATE, {})).toEqual([400, 'INVALID_REQUEST']);
    });

    it('accepts its options, and rejects unknown ones', async () => {
      const template = { filters: [{ column: 'x' }] };
      expect((await validate({ template })).isValid).toBe(false);
      expect((await validate({ template, options: { validateFilters: false } })).isValid).toBe(true);
      for (const options of [
        { validateEverything: true },
        { validateJoins: 'yes' },
        { maxSuggestionsPerField: -1 },
      ])
        expect(await refusal(VALIDATE, { template, options })).toEqual([400, 'INVALID_REQUEST']);
    });

    it('returns 404 for a dashboard that is missing, hidden, or in another project', async () => {
      const elsewhere = await api.createDashboard(api.admin, { template: {} });
      const hidden = await world.createDashboard({});
      for (const id of ['d_none', elsewhere.id])
        expect(await refusal(VALIDATE, { dashboardId: id })).toEqual([404, 'NOT_FOUND']);
      expect(await refusal(VALIDATE, { dashboardId: hidden.id }, world.tenantUser.session)).toEqual([
        404,
        'NOT_FOUND',
      ]);
      await api.share(world.admin, hidden.id, [
        { scope: 'specific_tenant_user', tenantUserId: world.tenantUser.id, role: 'VIEWER' },
      ]);
      expect((await validate({ dashboardId: hidden.id }, world.tenantUser.session)).isValid).toBe(true);
    });

    it('is open to a private dashboard for the project, and for a colleague of the same tenant', async () => {
      const { id } = await world.createDashboard({}, world.tenantUser.session);
      expect((await validate({ dashboardId: id }, world.service)).isValid).toBe(true);
      expect(await refusal(VALIDATE, { dashboardId: id }, world.otherTenantUser.session)).toEqual([
        404,
        'NOT_FOUND',
      ]);
    });

    it('is denied to the token of a dashboard, even for that dashboard', async () => {
      const dashboard = await api.createDashboard(world.admin, { template: {} });
      const token = { dashboardId: dashboard.id, dashboardSecret: dashboard.secret };
      const { accessToken } = succeeded(await api.requestToken(token));
      const bearer = openSession(server.baseUrl, accessToken);
      expect(await refusal(VALIDATE, { dashboardId: dashboard.id }, bearer)).toEqual([403, 'FORBIDDEN']);
      expect(await refusal(VALIDATE_ALL, {}, bearer)).toEqual([403, 'FORBIDDEN']);
      expect(await refusal(FIX, { template: {} }, bearer)).toEqual([403, 'FORBIDDEN']);
    });

    it('does not find a domain that is hidden from the token', async () => {
      const dataSource = {
        mode: 'domain',
        domainId: world.domainId,
        selectedEntities: [{ table: 'Orders' }],
      };
      const template = templateOf({ dataSource, fields: { columns: [{ column: 'id' }] } });
      expect((await validate({ template })).isValid).toBe(true);
      const narrow = await world.narrowSession({ mode: 'none' });
      expect(problemsOf(await validate({ template }, narrow))).toEqual([
        `DOMAIN_NOT_FOUND ${CARD}/dataSource/domainId`,
      ]);
    });

    it('names the part of a template that is too large', async () => {
      const selectedEntities = Array.from({ length: 501 }, () => ({ table: 'orders' }));
      const template = templateOf({ dataSource: { connectionId: world.connectionId, selectedEntities } });
      const { status, body } = await world.admin.post<{ code: string }>(VALIDATE, { template });
      expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
      expect(JSON.stringify(body)).toContain(`${CARD}/dataSource/selectedEntities`);
    });
  });

  describe('of many dashboards', () => {
    it('counts valid, invalid and failed dashboards, and isolates failures', async () => {
      const valid = await world.createDashboard(templateOf(cardOf(world.connectionId, 'orders', 'id')));
      const invalid = await world.createDashboard(templateOf(cardOf(world.connectionId, 'orders', 'gone')));
      const without = await world.createDashboard(null);
      const selectedEntities = Array.from({ length: 501 }, () => ({ table: 'orders' }));
      const failing = await world.createDashboard(
        templateOf({ dataSource: { selectedEntities, connectionId: world.connectionId } }),
      );
      const batch = await world.validateAll();
      expect(batch).toMatchObject({
        projectId: world.projectId,
        totalDashboards: 4,
        validDashboards: 1,
        invalidDashboards: 2,
        failedDashboards: 1,
      });
      expect(idsOf(batch)).toEqual([valid.id, invalid.id, without.id, failing.id].toSorted());
      const resultOf = (id: string) => batch.results.find(({ dashboardId }) => dashboardId === id);
      expect(resultOf(without.id)).toMatchObject({
        isValid: false,
        issues: [{ code: 'TEMPLATE_MISSING', path: '' }],
      });
      expect(resultOf(failing.id)).toEqual({
        dashboardId: failing.id,
        error: expect.stringContaining('selectedEntities') as unknown,
      });
    });

    it('is limited to those in the filter', async () => {
      const ours = await world.createDashboard({});
      const theirs = await world.createDashboard({}, world.tenantUser.session);
      const others = await world.createDashboard({}, world.otherTenantUser.session);
      const idsFor = async (filter: object) => idsOf(await world.validateAll({ filter }));
      const sorted = (...dashboards: { id: string }[]) => dashboards.map(({ id }) => id).toSorted();
      expect(await idsFor({ type: 'all' })).toEqual(sorted(ours, theirs, others));
      expect(await idsFor({})).toEqual(sorted(ours, theirs, others));
      expect(await idsFor({ type: 'organization' })).toEqual(sorted(ours));
      expect(await idsFor({ type: 'all-tenants' })).toEqual(sorted(theirs, others));
      expect(await idsFor({ type: 'tenant', tenantId: world.tenantId })).toEqual(sorted(theirs));
      expect(await idsFor({ ids: [ours.id, others.id, 'd_none'] })).toEqual(sorted(ours, others));
      expect(await idsFor({ type: 'all-tenants', ids: [ours.id, others.id] })).toEqual(sorted(others));
    });

    it('covers the own tenant of a tenant user', async () => {
      await world.createDashboard({});
      const theirs = await world.createDashboard({}, world.tenantUser.session);
      await world.createDashboard({}, world.otherTenantUser.session);
      const by = world.tenantUser.session;
      for (const type of ['all', 'all-tenants'])
        expect(await world.validateAll({ filter: { type } }, by)).toMatchObject({
          totalDashboards: 1,
          results: [{ dashboardId: theirs.id }],
        });
      expect(
        idsOf(await world.validateAll({ filter: { type: 'tenant', tenantId: world.tenantId } }, by)),
      ).toEqual([theirs.id]);
      expect(await world.validateAll({ filter: { type: 'organization' } }, by)).toMatchObject({
        totalDashboards: 0,
        results: [],
      });
      for (const tenantId of ['t_none', 'other'])
        expect(await refusal(VALIDATE_ALL, { filter: { type: 'tenant', tenantId } }, by)).toEqual([
          403,
          'FORBIDDEN',
        ]);
    });

    it('is limited to the project of the token, and rejects another one', async () => {
      const { id } = await world.createDashboard({});
      expect(idsOf(await world.validateAll({ projectId: world.projectId }, world.service))).toEqual([id]);
      for (const projectId of [api.project.projectId, 'p_none'])
        expect(await refusal(VALIDATE_ALL, { projectId })).toEqual([403, 'FORBIDDEN']);
    });

    it.each([
      [{ filter: { type: 'tenant' } }],
      [{ filter: { type: 'all', tenantId: 't_1' } }],
      [{ filter: { type: 'some' } }],
      [{ filter: { ids: [] } }],
      [{ filter: { changedSince: 'yesterday' } }],
      [{ options: { includeSuggestions: 1 } }],
      [{ cursor: 'x' }],
    ])('refuses %j', async (body) => {
      expect(await refusal(VALIDATE_ALL, body)).toEqual([400, 'INVALID_REQUEST']);
    });

    it('can be limited to those that refer to a table which changed since a moment', async () => {
      const orders = await world.createDashboard(templateOf(cardOf(world.connectionId, 'orders', 'id')));
      await world.createDashboard(templateOf(cardOf(world.connectionId, 'customers', 'id')));
      const since = new Date().toISOString();
      expect(await world.validateAll({ filter: { changedSince: since } })).toMatchObject({
        totalDashboards: 2,
        results: [],
      });
      await replaceCatalog(world.admin, world.connectionId, { orders: ['id'], customers: ['id', 'name'] });
      const batch = await world.validateAll({ filter: { changedSince: since } });
      expect([idsOf(batch), batch.validDashboards]).toEqual([[orders.id], 1]);
    });

    it('joins many pages into one response', async () => {
      const { connectionId } = world;
      const create = (_: unknown, n: number) =>
        world.createDashboard(templateOf(cardOf(connectionId, 'orders', n % 2 === 0 ? 'id' : 'gone')));
      const dashboards = await Promise.all(Array.from({ length: 110 }, create));
      const batch = await world.validateAll();
      expect(idsOf(batch)).toEqual(dashboards.map(({ id }) => id).toSorted());
      expect(batch).toMatchObject({
        totalDashboards: 110,
        validDashboards: 55,
        invalidDashboards: 55,
        failedDashboards: 0,
      });
    });
  });

  describe('and correction', () => {
    it('applies sure renames, saves nothing, and reports the remaining issues', async () => {
      const connectionId = await createStaticConnection(world.admin, { orders: ['id', 'region', 'amount'] });
      const template = templateOf(cardOf(connectionId, 'orders', 'region', 'amuont', 'id', 'unknown_thing'));
      const { id } = await world.createDashboard(template);
      await replaceCatalog(world.admin, connectionId, { orders: ['id', 'sales_region', 'amount'] });
      const fixed = succeeded(await world.admin.post<Fixed>(FIX, { dashboardId: id }));
      const at = (n: number) => `${CARD}/fields/columns/${n}/column`;
      expect(fixed.fixes).toEqual([
        { path: at(0), code: 'FIELD_NOT_FOUND', from: 'region', to: 'sales_region', reason: 'catalogRename' },
        { path: at(1), code: 'FIELD_NOT_FOUND', from: 'amuont', to: 'amount', reason: 'oneCandidate' },
      ]);
      expect(fixed.patch).toEqual([
        { op: 'replace', path: at(0), value: 'sales_region' },
        { op: 'replace', path: at(1), value: 'amount' },
      ]);
      expect(problemsOf(fixed.result)).toEqual([`FIELD_NOT_FOUND ${at(3)}`]);
      const [card] = template.sheets[0]?.frames[0]?.cards ?? [];
      const columns = ['sales_region', 'amount', 'id', 'unknown_thing'].map((column) => ({ column }));
      expect(fixed.template).toEqual(templateOf({ ...card, fields: { columns } }));
      const saved = succeeded(
        await world.admin.get<{ dashboard: { template: object } }>(`/dashboards/${id}`),
      );
      expect(saved.dashboard.template).toEqual(template);
    });

    it('of a dashboard without a template changes nothing', async () => {
      const { id } = await world.createDashboard(null);
      const fixed = succeeded(await world.admin.post<Fixed>(FIX, { dashboardId: id }));
      expect(fixed).toMatchObject({ dashboardId: id, patch: [], fixes: [], template: null });
      expect(problemsOf(fixed.result)).toEqual(['TEMPLATE_MISSING ']);
    });
  });
});
