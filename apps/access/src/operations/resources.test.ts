import { type Caller } from '@gatehouse/contract';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anonymousBearer, castOf, dashboardBearer, serviceIdentity, type Cast } from '../testing/people.js';
import { startPlatform, templateLinking, toPerson, type TestPlatform } from '../testing/platform.js';

let mongo: TestMongo;
let platform: TestPlatform;
let us: Cast;
beforeAll(async () => {
  mongo = await startTestMongo();
  platform = await startPlatform(mongo.databases);
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});
beforeEach(() => {
  us = castOf(platform.people);
});

const refusalCode = async (call: () => Promise<unknown>) => (await platform.refusalOf(call)).code;
const get = async (caller: Caller, id: string) =>
  (await platform.access.dashboards.get(await platform.as(caller), { id })).dashboard;

describe('creating', () => {
  it('makes a private dashboard of the caller and shows its secret once', async () => {
    const template = { sheets: [], extra: { x: 1 } };
    const { secret, ...made } = await platform.createDashboard(us.nora, { template });
    expect(made).toMatchObject({
      title: 'Revenue',
      description: '',
      isPrivate: true,
      isDataApp: false,
      tags: [],
      tenantId: us.north.id,
      ownerId: us.nora.userId,
      ownerType: 'tenant',
      createdBy: us.nora.userId,
      version: 1,
      accessLevel: 'OWNER',
      permissions: { canEdit: true, canShare: true, canDelete: true },
      template,
    });
    expect(secret).toHaveLength(43);
    expect(await get(us.nora, made.id)).toEqual(made);
    const [event] = await platform.eventsOf('management.dashboard.created.v1', made.id);
    expect(event).toMatchObject({
      actorid: us.nora.userId,
      organizationid: 'o_acme',
      projectid: us.projectId,
    });
    expect(JSON.stringify(await platform.refusalOf(async () => get(us.ada, made.id)))).not.toContain(
      'Revenue',
    );
  });

  it('makes a visual without what only dashboards have', async () => {
    const visual = await platform.createVisual(us.ada, {
      frameObject: { kind: 'bar' },
      tags: ['a'],
      isPrivate: false,
    });
    expect(visual).toMatchObject({
      frameObject: { kind: 'bar' },
      tags: ['a'],
      isPrivate: false,
      tenantId: null,
    });
    expect(visual).not.toHaveProperty('isDataApp');
    expect(visual).not.toHaveProperty('secret');
  });

  it('is refused to a role that is read-only, to a service identity and to dashboard tokens', async () => {
    const { id } = await platform.createDashboard(us.ada);
    for (const caller of [
      us.vera,
      us.nick,
      serviceIdentity(us.home),
      anonymousBearer(id, us.home),
      dashboardBearer(id, us.ada),
    ]) {
      expect(await refusalCode(() => platform.createDashboard(caller))).toBe('FORBIDDEN');
      expect(await refusalCode(() => platform.createVisual(caller))).toBe('FORBIDDEN');
    }
  });

  it('keeps any JSON of a template as it came', async () => {
    const template = {
      'a.b': 1,
      $set: { $gt: '' },
      '': [null, 1e300, 0.1, 'ß\u{1F600}'],
      constructor: { prototype: 1 },
    };
    const { id } = await platform.createDashboard(us.ada, { template });
    expect((await get(us.ada, id)).template).toEqual(template);
  });
});

describe('reading', () => {
  it('answers what may not be seen exactly as what does not exist', async () => {
    const { id } = await platform.createDashboard(us.nora);
    const unseen = await platform.refusalOf(() => get(us.sara, id));
    const absent = await platform.refusalOf(() => get(us.sara, 'd_absent'));
    expect(unseen.toWire()).toEqual(absent.toWire());
    expect(unseen.code).toBe('NOT_FOUND');
  });

  it('shows an ADMIN nothing that is not shared with it, and a service identity nothing at all', async () => {
    const { id } = await platform.createDashboard(us.ada);
    expect(await refusalCode(() => get(us.root, id))).toBe('NOT_FOUND');
    expect(await refusalCode(() => get(serviceIdentity(us.home), id))).toBe('FORBIDDEN');
  });

  it('lets the home audience view what is not private', async () => {
    const { id: ofOrganization } = await platform.createDashboard(us.ada, { isPrivate: false });
    const { id: ofTenant } = await platform.createDashboard(us.nora, { isPrivate: false });
    expect((await get(us.vera, ofOrganization)).accessLevel).toBe('VIEWER');
    expect((await get(us.nick, ofTenant)).accessLevel).toBe('VIEWER');
    expect(await refusalCode(() => get(us.nick, ofOrganization))).toBe('NOT_FOUND');
    expect(await refusalCode(() => get(us.sara, ofTenant))).toBe('NOT_FOUND');
    expect(await refusalCode(() => get(us.vera, ofTenant))).toBe('NOT_FOUND');
  });

  it('stays inside the project and the organization', async () => {
    const { id } = await platform.createDashboard(us.ada, { isPrivate: false });
    const elsewhere = { ...us.ada, projectId: 'p_other' };
    expect(await refusalCode(() => get(elsewhere, id))).toBe('NOT_FOUND');
    expect(
      await refusalCode(() =>
        get({ ...us.ada, tokenType: 'project', organizationId: 'o_x', projectId: 'p_x' }, id),
      ),
    ).toBe('NOT_FOUND');
  });
});

describe('a dashboard token', () => {
  it('views its own dashboard and nothing else', async () => {
    const own = await platform.createDashboard(us.ada);
    const other = await platform.createDashboard(us.ada, { isPrivate: false });
    const visual = await platform.createVisual(us.ada, { isPrivate: false });
    for (const bearer of [
      anonymousBearer(own.id, us.home),
      dashboardBearer(own.id, us.nick),
      dashboardBearer(own.id, us.vera),
    ]) {
      expect(await get(bearer, own.id)).toMatchObject({
        accessLevel: 'VIEWER',
        permissions: { canEdit: false, canShare: false, canDelete: false },
      });
      const origin = await platform.as(bearer);
      const { access } = platform;
      const refused = [
        () => get(bearer, other.id),
        () => get(bearer, 'd_absent'),
        () => access.visuals.get(origin, { id: visual.id }),
        () => access.visuals.list(origin, {}),
        () => access.dashboards.list(origin, {}),
        () => access.dashboards.update(origin, { id: own.id, title: 'x' }),
        () => access.dashboards.delete(origin, { id: own.id }),
        () => access.dashboards.duplicate(origin, { id: own.id }),
        () => access.dashboards.rotateSecret(origin, { id: own.id }),
        () => access.dashboards.takeOwnership(origin, { id: own.id }),
        () => access.dashboardShares.grant(origin, { id: own.id, shares: [toPerson(us.otto, 'VIEWER')] }),
        () => access.dashboardDecisions.viewers(origin, { id: own.id }),
        () => access.groups.isUsed(origin, { id: 'grp_x' }),
        () => access.groups.permissions(origin, { id: 'grp_x' }),
      ];
      for (const [index, call] of refused.entries())
        expect(await refusalCode(call), `call ${index}`).toBe('FORBIDDEN');
    }
  });

  it('tells the bearer without an identity nothing of the people that its dashboard is shared with', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const origin = await platform.as(anonymousBearer(id, us.home));
    const { access } = platform;
    expect(await refusalCode(() => access.dashboardShares.list(origin, { id }))).toBe('FORBIDDEN');
    expect(await refusalCode(() => access.dashboardDecisions.explain(origin, { id }))).toBe('FORBIDDEN');
  });

  it('gives an identity its own access beside the view', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const bearer = dashboardBearer(id, us.ada);
    const { dashboard } = await platform.access.dashboards.update(await platform.as(bearer), {
      id,
      title: 'New',
    });
    expect(dashboard.title).toBe('New');
  });
});

describe('updating', () => {
  const update = async (caller: Caller, id: string, fields: object) =>
    (await platform.access.dashboards.update(await platform.as(caller), { id, ...fields })).dashboard;

  it('changes the given fields, counts a version and says what changed', async () => {
    const { id, template } = await platform.createDashboard(us.ada, { template: { a: 1 }, tags: ['x'] });
    const changed = await update(us.ada, id, { title: 'Cost', isPrivate: false, tags: ['y'] });
    expect(changed).toMatchObject({ title: 'Cost', isPrivate: false, tags: ['y'], version: 2, template });
    expect(await get(us.vera, id)).toMatchObject({ title: 'Cost', version: 2, accessLevel: 'VIEWER' });
    const [event] = await platform.eventsOf('management.dashboard.updated.v1', id);
    expect(event?.data).toMatchObject({
      title: 'Cost',
      changes: {
        title: { from: 'Revenue', to: 'Cost' },
        isPrivate: { from: true, to: false },
        tags: { from: ['x'], to: ['y'] },
      },
    });
  });

  it('leaves the version when nothing differs, remembered or read', async () => {
    const made = await platform.createDashboard(us.ada, { template: { a: 1 }, description: 'd' });
    const { secret: _secret, ...before } = made;
    const { id } = made;
    for (const same of [
      { title: 'Revenue' },
      { description: 'd', template: { a: 1 } },
      { isDataApp: false },
    ]) {
      expect(await update(us.ada, id, same)).toEqual(before);
    }
    expect(
      platform.events.filter(({ type, subject }) => type.endsWith('updated.v1') && subject === id),
    ).toEqual([]);
  });

  it('clears and replaces the template, which the event only names', async () => {
    const { id } = await platform.createDashboard(us.ada, { template: { secretPlan: 1 } });
    expect(await update(us.ada, id, { template: null })).toMatchObject({ template: null, version: 2 });
    expect(await update(us.ada, id, { template: { b: 2 } })).toMatchObject({
      template: { b: 2 },
      version: 3,
    });
    expect((await get(us.ada, id)).template).toEqual({ b: 2 });
    const events = await platform.eventsOf('management.dashboard.updated.v1', id, 2);
    expect(Object.keys(events[0]?.data['changes'] ?? {})).toEqual(['template']);
    expect(JSON.stringify(events)).not.toContain('secretPlan');
  });

  it('is refused without a field, without access, below EDITOR and to a VIEWER role with EDITOR', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, toPerson(us.otto, 'VIEWER'), toPerson(us.vera, 'EDITOR'));
    expect(await refusalCode(() => update(us.ada, id, {}))).toBe('INVALID_REQUEST');
    expect(await refusalCode(() => update(us.root, id, { title: 'x' }))).toBe('NOT_FOUND');
    expect(await refusalCode(() => update(us.otto, id, { title: 'x' }))).toBe('FORBIDDEN');
    expect(await refusalCode(() => update(us.vera, id, { title: 'x' }))).toBe('FORBIDDEN');
  });

  it('is allowed from EDITOR up', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, toPerson(us.nora, 'EDITOR'));
    expect(await update(us.nora, id, { title: 'x' })).toMatchObject({
      accessLevel: 'EDITOR',
      ownerId: us.ada.userId,
    });
  });

  it('checks the version that the caller knows', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const { access, as } = platform;
    const stale = await as(us.ada, [7]);
    expect(await refusalCode(() => access.dashboards.update(stale, { id, title: 'x' }))).toBe(
      'PRECONDITION_FAILED',
    );
    expect(await refusalCode(() => access.dashboards.delete(stale, { id }))).toBe('PRECONDITION_FAILED');
    expect(
      (await access.dashboards.update(await as(us.ada, [1]), { id, title: 'x' })).dashboard.version,
    ).toBe(2);
    expect(
      (await access.dashboards.update(await as(us.ada, '*'), { id, title: 'y' })).dashboard.version,
    ).toBe(3);
  });
});

describe('concurrent changes', () => {
  it('all land, each on top of the one before', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const origin = await platform.as(us.ada);
    const titles = Array.from({ length: 40 }, (_, index) => `Title ${index}`);
    const answers = await Promise.all(
      titles.map((title) => platform.access.dashboards.update(origin, { id, title })),
    );
    expect(answers.map(({ dashboard }) => dashboard.version).toSorted((a, b) => a - b)).toEqual(
      titles.map((_, index) => index + 2),
    );
    expect(await get(us.ada, id)).toMatchObject({ version: 41 });
  });

  it('let exactly one of those win that know the same version', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const origin = await platform.as(us.ada, [1]);
    const attempts = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((title) => platform.access.dashboards.update(origin, { id, title })),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await get(us.ada, id)).toMatchObject({ version: 2 });
  });

  it('by another process are seen although this one remembers the former state', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await using other = await startPlatform(mongo.databases);
    await other.access.dashboards.update(await other.as(us.ada), { id, title: 'Other', description: 'kept' });
    const { access, as } = platform;
    const { dashboard } = await access.dashboards.update(await as(us.ada), { id, isPrivate: false });
    expect(dashboard).toMatchObject({ title: 'Other', description: 'kept', isPrivate: false, version: 3 });
    await other.access.dashboards.delete(await other.as(us.ada), { id });
    expect(
      await refusalCode(async () => access.dashboards.update(await as(us.ada), { id, title: 'x' })),
    ).toBe('NOT_FOUND');
  });

  it('by another process give access at once', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await using other = await startPlatform(mongo.databases);
    for (const [userId, user] of platform.people.users) other.people.users.set(userId, user);
    await other.share(us.ada, id, toPerson(us.otto, 'EDITOR'));
    await other.access.dashboards.update(await other.as(us.ada), { id, title: 'Second' });
    const { access, as } = platform;
    const { dashboard } = await access.dashboards.update(await as(us.otto, [2]), { id, title: 'Third' });
    expect(dashboard).toMatchObject({ title: 'Third', version: 3, accessLevel: 'EDITOR' });
  });

  it('by another process take access away at once', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, toPerson(us.otto, 'EDITOR'));
    const { access, as, people } = platform;
    await access.dashboards.update(await as(us.otto), { id, title: 'Otto was here' });
    await using other = await startPlatform(mongo.databases);
    for (const [userId, user] of people.users) other.people.users.set(userId, user);
    const shares = [toPerson(us.otto, 'EDITOR')];
    await other.access.dashboardShares.revoke(await other.as(us.ada), { id, shares });
    expect(
      await refusalCode(async () => access.dashboards.update(await as(us.otto), { id, title: 'x' })),
    ).toBe('NOT_FOUND');
  });
});

describe('deleting', () => {
  it('leaves nothing to find and says so', async () => {
    const { id, title } = await platform.createDashboard(us.ada);
    const { access, as } = platform;
    expect(await access.dashboards.delete(await as(us.ada), { id })).toEqual({
      message: 'Dashboard deleted successfully',
      deletedDashboard: { id, title },
    });
    expect(await refusalCode(() => get(us.ada, id))).toBe('NOT_FOUND');
    expect(await refusalCode(async () => access.dashboards.delete(await as(us.ada), { id }))).toBe(
      'NOT_FOUND',
    );
    await platform.eventsOf('management.dashboard.deleted.v1', id);
  });

  it('needs OWNER', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, toPerson(us.otto, 'CONTRIBUTOR'), toPerson(us.nora, 'OWNER'));
    const { access, as } = platform;
    expect(await refusalCode(async () => access.dashboards.delete(await as(us.otto), { id }))).toBe(
      'FORBIDDEN',
    );
    expect(await refusalCode(async () => access.dashboards.delete(await as(us.sara), { id }))).toBe(
      'NOT_FOUND',
    );
    await access.dashboards.delete(await as(us.nora), { id });
  });
});

describe('duplicating', () => {
  it('gives a VIEWER of the original a private copy of its own', async () => {
    const original = await platform.createDashboard(us.ada, {
      title: 'Sales',
      description: 'All',
      tags: ['a'],
      isDataApp: true,
      isPrivate: false,
      template: { a: 1 },
    });
    await platform.share(us.ada, original.id, toPerson(us.nora, 'VIEWER'));
    const { access, as } = platform;
    const { dashboard: copy } = await access.dashboards.duplicate(await as(us.nora), { id: original.id });
    expect(copy).toMatchObject({
      title: 'Sales (Copy)',
      description: 'All',
      tags: ['a'],
      isDataApp: true,
      isPrivate: true,
      template: { a: 1 },
      ownerId: us.nora.userId,
      tenantId: us.north.id,
      version: 1,
      accessLevel: 'OWNER',
    });
    expect(copy.secret).not.toBe(original.secret);
    expect(await refusalCode(() => get(us.ada, copy.id))).toBe('NOT_FOUND');
    const named = await access.dashboards.duplicate(await as(us.nora), { id: original.id, title: 'Mine' });
    expect(named.dashboard.title).toBe('Mine');
  });

  it('cuts a long title between characters', async () => {
    const { id } = await platform.createDashboard(us.ada, { title: `${'x'.repeat(192)}\u{1F600}end` });
    const { dashboard } = await platform.access.dashboards.duplicate(await platform.as(us.ada), { id });
    expect(dashboard.title).toBe(`${'x'.repeat(192)} (Copy)`);
  });

  it('is refused to those who may not see the original or may not create', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, toPerson(us.vera, 'OWNER'));
    const duplicate = async (caller: Caller) =>
      platform.access.dashboards.duplicate(await platform.as(caller), { id });
    expect(await refusalCode(() => duplicate(us.vera))).toBe('FORBIDDEN');
    expect(await refusalCode(() => duplicate(us.sara))).toBe('NOT_FOUND');
    expect(await refusalCode(() => duplicate(us.nick))).toBe('NOT_FOUND');
  });
});

describe('taking over', () => {
  const take = async (caller: Caller, id: string) =>
    (await platform.access.dashboards.takeOwnership(await platform.as(caller), { id })).dashboard;

  it('makes an ADMIN the owner of anything in the project, and says so', async () => {
    const { id } = await platform.createDashboard(us.nora, { isPrivate: false });
    const taken = await take(us.root, id);
    expect(taken).toMatchObject({
      ownerId: us.root.userId,
      ownerType: 'organization',
      tenantId: null,
      createdBy: us.nora.userId,
      accessLevel: 'OWNER',
      version: 2,
    });
    const [event] = await platform.eventsOf('management.dashboard.taken_over.v1', id);
    expect(event).toMatchObject({
      actorid: us.root.userId,
      data: { formerOwnerId: us.nora.userId, ownerId: us.root.userId },
    });
    expect(await refusalCode(() => get(us.nora, id))).toBe('NOT_FOUND');
    expect((await get(us.vera, id)).accessLevel).toBe('VIEWER');
    expect(await take(us.root, id)).toEqual(taken);
  });

  it('is refused to everybody else and outside the project', async () => {
    const { id } = await platform.createDashboard(us.ada);
    for (const caller of [us.ada, us.otto, us.vera, us.nora, serviceIdentity(us.home)]) {
      expect(await refusalCode(() => take(caller, id))).toBe('FORBIDDEN');
    }
    expect(await refusalCode(() => take({ ...us.root, projectId: 'p_other' }, id))).toBe('NOT_FOUND');
  });
});

describe('the secret of a dashboard', () => {
  const authenticate = async (dashboardId: string, dashboardSecret: string) => {
    const gateway = await platform.as({ kind: 'system', name: 'gateway' });
    return (await platform.access.dashboards.authenticate(gateway, { dashboardId, dashboardSecret }))
      .dashboard;
  };

  it('opens its dashboard and no other, until it is rotated', async () => {
    const { id, secret } = await platform.createDashboard(us.ada);
    const other = await platform.createDashboard(us.ada);
    expect(await authenticate(id, secret)).toEqual({ id, projectId: us.projectId, organizationId: 'o_acme' });
    expect(await authenticate(other.id, secret)).toBeNull();
    expect(await authenticate('d_absent', secret)).toBeNull();
    expect(await authenticate(id, 'x')).toBeNull();
    const { dashboard } = await platform.access.dashboards.rotateSecret(await platform.as(us.ada), { id });
    expect(dashboard).toMatchObject({ id, version: 1, accessLevel: 'OWNER' });
    expect(await authenticate(id, secret)).toBeNull();
    expect(await authenticate(id, dashboard.secret)).toMatchObject({ id });
    const [event] = await platform.eventsOf('management.dashboard_secret.rotated.v1', id);
    expect(event?.data).toEqual({ id, title: 'Revenue' });
  });

  it('is rotated by an OWNER alone, and asked about by the platform alone', async () => {
    const { id, secret } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, toPerson(us.otto, 'CONTRIBUTOR'));
    const { access, as } = platform;
    expect(await refusalCode(async () => access.dashboards.rotateSecret(await as(us.otto), { id }))).toBe(
      'FORBIDDEN',
    );
    const asked = { dashboardId: id, dashboardSecret: secret };
    expect(await refusalCode(async () => access.dashboards.authenticate(await as(us.ada), asked))).toBe(
      'UNAUTHENTICATED',
    );
  });

  it('of a deleted dashboard opens nothing', async () => {
    const { id, secret } = await platform.createDashboard(us.ada);
    await platform.access.dashboards.delete(await platform.as(us.ada), { id });
    expect(await authenticate(id, secret)).toBeNull();
  });
});

describe('linked visuals', () => {
  const getVisual = async (caller: Caller, id: string) =>
    (await platform.access.visuals.get(await platform.as(caller), { id })).visual;

  it('are viewed by whoever views the dashboard, for as long as that lasts', async () => {
    const visual = await platform.createVisual(us.ada, { frameObject: { kind: 'bar' } });
    const dashboard = await platform.createDashboard(us.ada, { template: templateLinking(visual.id) });
    expect(await refusalCode(() => getVisual(us.nora, visual.id))).toBe('NOT_FOUND');
    await platform.share(us.ada, dashboard.id, toPerson(us.nora, 'EDITOR'));
    expect(await getVisual(us.nora, visual.id)).toMatchObject({
      accessLevel: 'VIEWER',
      permissions: { canEdit: false },
      frameObject: { kind: 'bar' },
    });
    const { access, as } = platform;
    const change = { id: visual.id, title: 'x' };
    expect(await refusalCode(async () => access.visuals.update(await as(us.nora), change))).toBe('FORBIDDEN');
    const shares = [toPerson(us.nora, 'VIEWER')];
    await access.dashboardShares.revoke(await as(us.ada), { id: dashboard.id, shares });
    expect(await refusalCode(() => getVisual(us.nora, visual.id))).toBe('NOT_FOUND');
  });

  it('are not opened to others by naming a visual that the saver may not see', async () => {
    const { id } = await platform.createVisual(us.ada);
    const { id: dashboardId } = await platform.createDashboard(us.nora, { template: templateLinking(id) });
    expect(await refusalCode(() => getVisual(us.nora, id))).toBe('NOT_FOUND');
    const { access, as } = platform;
    const template = { ...templateLinking(id), again: true };
    await access.dashboards.update(await as(us.nora), { id: dashboardId, template });
    expect(await refusalCode(() => getVisual(us.nora, id))).toBe('NOT_FOUND');
    await access.dashboards.duplicate(await as(us.nora), { id: dashboardId });
    expect(await refusalCode(() => getVisual(us.nora, id))).toBe('NOT_FOUND');
    expect((await access.visuals.list(await as(us.nora), {})).visuals).toEqual([]);
  });

  it('are opened one by one: naming them together with a visible one is not enough', async () => {
    const visible = await platform.createVisual(us.ada);
    const hidden = await platform.createVisual(us.ada);
    const dashboard = await platform.createDashboard(us.ada, { template: templateLinking(visible.id) });
    await platform.share(us.ada, dashboard.id, toPerson(us.nora, 'VIEWER'));
    const template = templateLinking(visible.id, hidden.id, 'v_absent', '$where', '');
    const own = await platform.createDashboard(us.nora, { template });
    await platform.share(us.nora, own.id, toPerson(us.nick, 'VIEWER'));
    expect((await getVisual(us.nick, visible.id)).accessLevel).toBe('VIEWER');
    expect(await refusalCode(() => getVisual(us.nick, hidden.id))).toBe('NOT_FOUND');
    expect(await refusalCode(() => getVisual(us.nora, hidden.id))).toBe('NOT_FOUND');
    const [event] = await platform.eventsOf('management.dashboard.created.v1', own.id);
    expect(event?.data['linkedVisualIds']).toEqual([visible.id]);
  });

  it('stay linked when somebody saves the dashboard who could not have linked them', async () => {
    const visual = await platform.createVisual(us.ada);
    const dashboard = await platform.createDashboard(us.ada, { template: templateLinking(visual.id) });
    await platform.share(us.ada, dashboard.id, toPerson(us.otto, 'EDITOR'), toPerson(us.vera, 'VIEWER'));
    const template = { ...templateLinking(visual.id), color: 'red' };
    const { access, as } = platform;
    await access.dashboards.update(await as(us.otto), { id: dashboard.id, template });
    expect((await getVisual(us.vera, visual.id)).accessLevel).toBe('VIEWER');
    await access.dashboards.update(await as(us.otto), { id: dashboard.id, template: { sheets: [] } });
    expect(await refusalCode(() => getVisual(us.vera, visual.id))).toBe('NOT_FOUND');
    await access.dashboards.update(await as(us.otto), { id: dashboard.id, template });
    expect(await refusalCode(() => getVisual(us.vera, visual.id))).toBe('NOT_FOUND');
  });

  it('of another project are not linked', async () => {
    const elsewhere = { ...us.ada, projectId: 'p_other' };
    const visual = await platform.createVisual(elsewhere, { isPrivate: false });
    await platform.createDashboard(us.ada, { template: templateLinking(visual.id), isPrivate: false });
    expect(await refusalCode(() => getVisual(us.ada, visual.id))).toBe('NOT_FOUND');
  });

  it('cannot be deleted while dashboards link them, and are harmless once they are gone', async () => {
    const visual = await platform.createVisual(us.ada, { isPrivate: false });
    const template = templateLinking(visual.id);
    const seen = [];
    for (let index = 0; index < 11; index += 1)
      seen.push(await platform.createDashboard(us.ada, { template }));
    await platform.createDashboard(us.otto, { template });
    const { access, as } = platform;
    const remove = async () => access.visuals.delete(await as(us.ada), { id: visual.id });
    const refusal = await platform.refusalOf(remove);
    expect(refusal.code).toBe('CONFLICT');
    expect(refusal.message).toBe('The visual is linked by 12 dashboards');
    expect(refusal.blockedBy).toHaveLength(10);
    const ids = seen.map(({ id }) => id);
    for (const blocking of refusal.blockedBy ?? []) expect(ids).toContain(blocking.id);
    for (const { id } of seen) await access.dashboards.update(await as(us.ada), { id, template: null });
    expect((await platform.refusalOf(remove)).blockedBy).toEqual([]);
    expect((await platform.refusalOf(remove)).message).toBe('The visual is linked by 1 dashboard');
    const { dashboards } = await access.dashboards.list(await as(us.otto), {});
    await access.dashboards.delete(await as(us.otto), { id: dashboards[0]?.id ?? '' });
    expect(await remove()).toMatchObject({ deletedVisual: { id: visual.id, title: 'Chart' } });
  });
});
