import { type Caller } from '@gatehouse/contract';
import { newKey } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  anonymousBearer,
  createFixture,
  dashboardBearer,
  serviceIdentity,
  type Fixture,
} from '../testing/directoryStub.js';
import { startPlatform, templateLinking, shareWith } from '../testing/platform.js';

const { platform, mongo } = await usePlatform(startPlatform);
let us: Fixture;
beforeEach(() => {
  us = createFixture(platform.directory);
});

const errorCode = async (call: () => Promise<unknown>) => (await platform.rejectionOf(call)).code;
const get = async (caller: Caller, id: string) =>
  (await platform.access.dashboards.get.query({ id }, { context: await platform.as(caller) })).dashboard;

describe('creating a resource', () => {
  it('creates a private dashboard of the caller and returns its secret only then', async () => {
    const template = { sheets: [], extra: { x: 1 } };
    const { secret, ...created } = await platform.createDashboard(us.nora, { template });
    expect(created).toMatchObject({
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
    expect(await get(us.nora, created.id)).toEqual(created);
    const [event] = await platform.eventsOf('management.dashboard.created.v1', created.id);
    expect(event).toMatchObject({
      actorid: us.nora.userId,
      organizationid: 'o_acme',
      projectid: us.projectId,
    });
    expect(JSON.stringify(await platform.rejectionOf(async () => get(us.ada, created.id)))).not.toContain(
      'Revenue',
    );
  });

  it('creates a visual without the fields of dashboards', async () => {
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

  it('returns FORBIDDEN for a read-only role, a service identity and dashboard tokens', async () => {
    const { id } = await platform.createDashboard(us.ada);
    for (const caller of [
      us.vera,
      us.nick,
      serviceIdentity(us.home),
      anonymousBearer(id, us.home),
      dashboardBearer(id, us.ada),
    ]) {
      expect(await errorCode(() => platform.createDashboard(caller))).toBe('FORBIDDEN');
      expect(await errorCode(() => platform.createVisual(caller))).toBe('FORBIDDEN');
    }
  });

  it('returns to a repeated operation nothing of a resource that its creator no longer sees', async () => {
    const operationKey = platform.directory.newId('key');
    const context = { ...(await platform.as(us.ada)), operationKey };
    const create = async () =>
      (await platform.access.dashboards.create.mutate({ title: 'Revenue' }, { context })).dashboard;
    const { id } = await create();
    const asRoot = { context: await platform.as(us.root) };
    await platform.access.dashboards.takeOwnership.mutate({ id }, asRoot);
    await platform.access.dashboards.update.mutate({ id, template: { confidential: true } }, asRoot);
    expect(await errorCode(() => get(us.ada, id))).toBe('NOT_FOUND');
    expect(await errorCode(create)).toBe('CONFLICT');
  });

  it('stores any JSON of a template unchanged', async () => {
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

describe('reading a resource', () => {
  it('returns the same NOT_FOUND for a hidden dashboard as for an unknown one', async () => {
    const { id } = await platform.createDashboard(us.nora);
    const unseen = await platform.rejectionOf(() => get(us.sara, id));
    const absent = await platform.rejectionOf(() => get(us.sara, 'd_absent'));
    expect(unseen.toWire()).toEqual(absent.toWire());
    expect(unseen.code).toBe('NOT_FOUND');
  });

  it('returns NOT_FOUND for an ADMIN without access and FORBIDDEN for a service identity', async () => {
    const { id } = await platform.createDashboard(us.ada);
    expect(await errorCode(() => get(us.root, id))).toBe('NOT_FOUND');
    expect(await errorCode(() => get(serviceIdentity(us.home), id))).toBe('FORBIDDEN');
  });

  it('gives the home audience view access to a dashboard that is not private', async () => {
    const { id: ofOrganization } = await platform.createDashboard(us.ada, { isPrivate: false });
    const { id: ofTenant } = await platform.createDashboard(us.nora, { isPrivate: false });
    expect((await get(us.vera, ofOrganization)).accessLevel).toBe('VIEWER');
    expect((await get(us.nick, ofTenant)).accessLevel).toBe('VIEWER');
    expect(await errorCode(() => get(us.nick, ofOrganization))).toBe('NOT_FOUND');
    expect(await errorCode(() => get(us.sara, ofTenant))).toBe('NOT_FOUND');
    expect(await errorCode(() => get(us.vera, ofTenant))).toBe('NOT_FOUND');
  });

  it('returns NOT_FOUND for a dashboard in another project or organization', async () => {
    const { id } = await platform.createDashboard(us.ada, { isPrivate: false });
    const elsewhere = { ...us.ada, projectId: 'p_other' };
    expect(await errorCode(() => get(elsewhere, id))).toBe('NOT_FOUND');
    expect(
      await errorCode(() =>
        get({ ...us.ada, tokenType: 'project', organizationId: 'o_x', projectId: 'p_x' }, id),
      ),
    ).toBe('NOT_FOUND');
  });
});

describe('a dashboard token', () => {
  it('gives view access to its own dashboard and nothing else', async () => {
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
      const denied = [
        () => get(bearer, other.id),
        () => get(bearer, 'd_absent'),
        () => access.visuals.get.query({ id: visual.id }, { context: origin }),
        () => access.visuals.list.query({}, { context: origin }),
        () => access.dashboards.list.query({}, { context: origin }),
        () => access.dashboards.update.mutate({ id: own.id, title: 'x' }, { context: origin }),
        () => access.dashboards.delete.mutate({ id: own.id }, { context: origin }),
        () => access.dashboards.duplicate.mutate({ id: own.id }, { context: origin }),
        () => access.dashboards.rotateSecret.mutate({ id: own.id }, { context: origin }),
        () => access.dashboards.takeOwnership.mutate({ id: own.id }, { context: origin }),
        () =>
          access.dashboardShares.grant.mutate(
            { id: own.id, shares: [shareWith(us.otto, 'VIEWER')] },
            { context: origin },
          ),
        () => access.dashboardDecisions.viewers.query({ id: own.id }, { context: origin }),
        () => access.groups.isUsed.query({ id: 'grp_x' }, { context: origin }),
        () => access.groups.permissions.query({ id: 'grp_x' }, { context: origin }),
      ];
      for (const [index, call] of denied.entries())
        expect(await errorCode(call), `call ${index}`).toBe('FORBIDDEN');
    }
  });

  it('denies share lists and explanations to a bearer without an identity', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const origin = await platform.as(anonymousBearer(id, us.home));
    const { access } = platform;
    expect(await errorCode(() => access.dashboardShares.list.query({ id }, { context: origin }))).toBe(
      'FORBIDDEN',
    );
    expect(await errorCode(() => access.dashboardDecisions.explain.query({ id }, { context: origin }))).toBe(
      'FORBIDDEN',
    );
  });

  it('keeps the access of an identity in addition to the view access', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const bearer = dashboardBearer(id, us.ada);
    const { dashboard } = await platform.access.dashboards.update.mutate(
      {
        id,
        title: 'New',
      },
      { context: await platform.as(bearer) },
    );
    expect(dashboard.title).toBe('New');
  });
});

describe('updating a resource', () => {
  const update = async (caller: Caller, id: string, fields: object) =>
    (
      await platform.access.dashboards.update.mutate(
        { id, ...fields },
        { context: await platform.as(caller) },
      )
    ).dashboard;

  it('changes the given fields, increments the version and publishes the changes', async () => {
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

  it('keeps the version if no value differs, with a cached and with a read header', async () => {
    const created = await platform.createDashboard(us.ada, { template: { a: 1 }, description: 'd' });
    const { secret: _secret, ...before } = created;
    const { id } = created;
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

  it('clears and replaces the template, of which the event contains only the name', async () => {
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

  it('is denied without a field or access, below EDITOR, and for a VIEWER role with EDITOR', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, shareWith(us.otto, 'VIEWER'), shareWith(us.vera, 'EDITOR'));
    expect(await errorCode(() => update(us.ada, id, {}))).toBe('INVALID_REQUEST');
    expect(await errorCode(() => update(us.root, id, { title: 'x' }))).toBe('NOT_FOUND');
    expect(await errorCode(() => update(us.otto, id, { title: 'x' }))).toBe('FORBIDDEN');
    expect(await errorCode(() => update(us.vera, id, { title: 'x' }))).toBe('FORBIDDEN');
  });

  it('is allowed from EDITOR up', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, shareWith(us.nora, 'EDITOR'));
    expect(await update(us.nora, id, { title: 'x' })).toMatchObject({
      accessLevel: 'EDITOR',
      ownerId: us.ada.userId,
    });
  });

  it('checks the version of the request', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const { access, as } = platform;
    const stale = await as(us.ada, [7]);
    expect(
      await errorCode(() => access.dashboards.update.mutate({ id, title: 'x' }, { context: stale })),
    ).toBe('PRECONDITION_FAILED');
    expect(await errorCode(() => access.dashboards.delete.mutate({ id }, { context: stale }))).toBe(
      'PRECONDITION_FAILED',
    );
    expect(
      (await access.dashboards.update.mutate({ id, title: 'x' }, { context: await as(us.ada, [1]) }))
        .dashboard.version,
    ).toBe(2);
    expect(
      (await access.dashboards.update.mutate({ id, title: 'y' }, { context: await as(us.ada, '*') }))
        .dashboard.version,
    ).toBe(3);
  });
});

describe('concurrent changes', () => {
  it('all succeed, each on the state that the previous one left', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const origin = await platform.as(us.ada);
    const titles = Array.from({ length: 40 }, (_, index) => `Title ${index}`);
    const responses = await Promise.all(
      titles.map((title) => platform.access.dashboards.update.mutate({ id, title }, { context: origin })),
    );
    expect(responses.map(({ dashboard }) => dashboard.version).toSorted((a, b) => a - b)).toEqual(
      titles.map((_, index) => index + 2),
    );
    expect(await get(us.ada, id)).toMatchObject({ version: 41 });
  });

  it('succeed only once for the same expected version', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const origin = await platform.as(us.ada, [1]);
    const attempts = await Promise.allSettled(
      ['a', 'b', 'c', 'd'].map((title) =>
        platform.access.dashboards.update.mutate({ id, title }, { context: origin }),
      ),
    );
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await get(us.ada, id)).toMatchObject({ version: 2 });
  });

  it('of another process are visible despite a stale cached header', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await using other = await startPlatform(mongo.databases);
    await other.access.dashboards.update.mutate(
      { id, title: 'Other', description: 'kept' },
      { context: await other.as(us.ada) },
    );
    const { access, as } = platform;
    const { dashboard } = await access.dashboards.update.mutate(
      { id, isPrivate: false },
      { context: await as(us.ada) },
    );
    expect(dashboard).toMatchObject({ title: 'Other', description: 'kept', isPrivate: false, version: 3 });
    await other.access.dashboards.delete.mutate({ id }, { context: await other.as(us.ada) });
    expect(
      await errorCode(async () =>
        access.dashboards.update.mutate({ id, title: 'x' }, { context: await as(us.ada) }),
      ),
    ).toBe('NOT_FOUND');
  });

  it('of another process grant access at once', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await using other = await startPlatform(mongo.databases);
    for (const [userId, user] of platform.directory.users) other.directory.users.set(userId, user);
    await other.share(us.ada, id, shareWith(us.otto, 'EDITOR'));
    await other.access.dashboards.update.mutate({ id, title: 'Second' }, { context: await other.as(us.ada) });
    const { access, as } = platform;
    const { dashboard } = await access.dashboards.update.mutate(
      { id, title: 'Third' },
      { context: await as(us.otto, [2]) },
    );
    expect(dashboard).toMatchObject({ title: 'Third', version: 3, accessLevel: 'EDITOR' });
  });

  it('of another process revoke access at once', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, shareWith(us.otto, 'EDITOR'));
    const { access, as, directory } = platform;
    await access.dashboards.update.mutate({ id, title: 'Otto was here' }, { context: await as(us.otto) });
    await using other = await startPlatform(mongo.databases);
    for (const [userId, user] of directory.users) other.directory.users.set(userId, user);
    const shares = [shareWith(us.otto, 'EDITOR')];
    await other.access.dashboardShares.revoke.mutate({ id, shares }, { context: await other.as(us.ada) });
    expect(
      await errorCode(async () =>
        access.dashboards.update.mutate({ id, title: 'x' }, { context: await as(us.otto) }),
      ),
    ).toBe('NOT_FOUND');
  });
});

describe('deleting a resource', () => {
  it('removes the dashboard and publishes its deletion', async () => {
    const { id, title } = await platform.createDashboard(us.ada);
    const { access, as } = platform;
    expect(await access.dashboards.delete.mutate({ id }, { context: await as(us.ada) })).toEqual({
      message: 'Dashboard deleted successfully',
      deletedDashboard: { id, title },
    });
    expect(await errorCode(() => get(us.ada, id))).toBe('NOT_FOUND');
    expect(
      await errorCode(async () => access.dashboards.delete.mutate({ id }, { context: await as(us.ada) })),
    ).toBe('NOT_FOUND');
    await platform.eventsOf('management.dashboard.deleted.v1', id);
  });

  it('requires OWNER', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, shareWith(us.otto, 'CONTRIBUTOR'), shareWith(us.nora, 'OWNER'));
    const { access, as } = platform;
    expect(
      await errorCode(async () => access.dashboards.delete.mutate({ id }, { context: await as(us.otto) })),
    ).toBe('FORBIDDEN');
    expect(
      await errorCode(async () => access.dashboards.delete.mutate({ id }, { context: await as(us.sara) })),
    ).toBe('NOT_FOUND');
    await access.dashboards.delete.mutate({ id }, { context: await as(us.nora) });
  });
});

describe('duplicating a resource', () => {
  it('creates a private copy that a VIEWER of the original owns', async () => {
    const original = await platform.createDashboard(us.ada, {
      title: 'Sales',
      description: 'All',
      tags: ['a'],
      isDataApp: true,
      isPrivate: false,
      template: { a: 1 },
    });
    await platform.share(us.ada, original.id, shareWith(us.nora, 'VIEWER'));
    const { access, as } = platform;
    const { dashboard: copy } = await access.dashboards.duplicate.mutate(
      { id: original.id },
      { context: await as(us.nora) },
    );
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
    expect(await errorCode(() => get(us.ada, copy.id))).toBe('NOT_FOUND');
    const named = await access.dashboards.duplicate.mutate(
      { id: original.id, title: 'Mine' },
      { context: await as(us.nora) },
    );
    expect(named.dashboard.title).toBe('Mine');
  });

  it('truncates a long title between characters', async () => {
    const { id } = await platform.createDashboard(us.ada, { title: `${'x'.repeat(192)}\u{1F600}end` });
    const { dashboard } = await platform.access.dashboards.duplicate.mutate(
      { id },
      { context: await platform.as(us.ada) },
    );
    expect(dashboard.title).toBe(`${'x'.repeat(192)} (Copy)`);
  });

  it('is denied to callers who may not see the original or may not create', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, shareWith(us.vera, 'OWNER'));
    const duplicate = async (caller: Caller) =>
      platform.access.dashboards.duplicate.mutate({ id }, { context: await platform.as(caller) });
    expect(await errorCode(() => duplicate(us.vera))).toBe('FORBIDDEN');
    expect(await errorCode(() => duplicate(us.sara))).toBe('NOT_FOUND');
    expect(await errorCode(() => duplicate(us.nick))).toBe('NOT_FOUND');
  });
});

describe('taking ownership', () => {
  const take = async (caller: Caller, id: string) =>
    (await platform.access.dashboards.takeOwnership.mutate({ id }, { context: await platform.as(caller) }))
      .dashboard;

  it('makes an ADMIN the owner of any dashboard of the project, and publishes it', async () => {
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
    expect(await errorCode(() => get(us.nora, id))).toBe('NOT_FOUND');
    expect((await get(us.vera, id)).accessLevel).toBe('VIEWER');
    expect(await take(us.root, id)).toEqual(taken);
  });

  it('is denied to all other callers and outside the project', async () => {
    const { id } = await platform.createDashboard(us.ada);
    for (const caller of [us.ada, us.otto, us.vera, us.nora, serviceIdentity(us.home)]) {
      expect(await errorCode(() => take(caller, id))).toBe('FORBIDDEN');
    }
    expect(await errorCode(() => take({ ...us.root, projectId: 'p_other' }, id))).toBe('NOT_FOUND');
  });
});

describe('a tenant user with EDITOR access', () => {
  const open = async (caller: Caller, id: string) => {
    const context = await platform.as(caller);
    const opened = await platform.access.dashboards.update.mutate({ id, isPrivate: false }, { context });
    return opened.dashboard.isPrivate;
  };

  it('opens what belongs to its tenant, and nothing else', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, shareWith(us.nora, 'EDITOR'), shareWith(us.otto, 'EDITOR'));
    expect(await errorCode(() => open(us.nora, id))).toBe('FORBIDDEN');
    expect(await errorCode(() => get(us.vera, id))).toBe('NOT_FOUND');
    const changed = { id, title: 'Renamed', isPrivate: true };
    await platform.access.dashboards.update.mutate(changed, { context: await platform.as(us.nora) });
    expect(await open(us.otto, id)).toBe(false);
    const { id: own } = await platform.createDashboard(us.nils);
    await platform.share(us.nils, own, shareWith(us.nora, 'EDITOR'));
    expect(await open(us.nora, own)).toBe(false);
  });
});

describe('the secret of a dashboard', () => {
  const tenantKeyOf = (caller: Caller) => (caller.kind === 'tenantUser' ? caller.tenantKey : null);
  const authenticate = async (dashboardId: string, dashboardSecret: string) => {
    const gateway = await platform.as({ kind: 'system', name: 'gateway' });
    return (
      await platform.access.dashboards.authenticate.query(
        { dashboardId, dashboardSecret },
        { context: gateway },
      )
    ).dashboard;
  };

  it('authenticates its own dashboard and no other, until its rotation', async () => {
    const { id, secret } = await platform.createDashboard(us.ada);
    const other = await platform.createDashboard(us.ada);
    const scope = { projectId: us.projectId, organizationId: 'o_acme' };
    expect(await authenticate(id, secret)).toEqual({ id, ...scope, tenantKey: null });
    expect(await authenticate(other.id, secret)).toBeNull();
    expect(await authenticate('d_absent', secret)).toBeNull();
    expect(await authenticate(id, 'x')).toBeNull();
    const { dashboard } = await platform.access.dashboards.rotateSecret.mutate(
      { id },
      { context: await platform.as(us.ada) },
    );
    expect(dashboard).toMatchObject({ id, version: 1, accessLevel: 'OWNER' });
    expect(await authenticate(id, secret)).toBeNull();
    expect(await authenticate(id, dashboard.secret)).toMatchObject({ id });
    const [event] = await platform.eventsOf('management.dashboard_secret.rotated.v1', id);
    expect(event?.data).toEqual({ id, title: 'Revenue' });
  });

  it('stays when an earlier rotation is repeated, which has no further effect', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const context = await platform.as(us.ada);
    const rotate = async (operationKey?: string) =>
      (
        await platform.access.dashboards.rotateSecret.mutate(
          { id },
          { context: { ...context, operationKey } },
        )
      ).dashboard.secret;
    const operationKey = newKey();
    const leaked = await rotate(operationKey);
    const newer = await rotate();
    expect(await rotate(operationKey)).toBe(leaked);
    expect(await authenticate(id, leaked)).toBeNull();
    expect(await authenticate(id, newer)).toMatchObject({ id });
    expect(await platform.eventsOf('management.dashboard_secret.rotated.v1', id, 2)).toHaveLength(2);
  });

  it('acts for the tenant of the user who got it last, also after a change of owner', async () => {
    const { id, secret } = await platform.createDashboard(us.nora);
    expect(await authenticate(id, secret)).toMatchObject({ tenantKey: tenantKeyOf(us.nora) });
    const asRoot = { context: await platform.as(us.root) };
    await platform.access.dashboards.takeOwnership.mutate({ id }, asRoot);
    expect(await authenticate(id, secret)).toMatchObject({ tenantKey: tenantKeyOf(us.nora) });
    const { dashboard } = await platform.access.dashboards.rotateSecret.mutate({ id }, asRoot);
    expect(await authenticate(id, dashboard.secret)).toMatchObject({ tenantKey: null });
    await platform.share(us.root, id, shareWith(us.nora, 'OWNER'));
    const asNora = { context: await platform.as(us.nora) };
    const rotated = (await platform.access.dashboards.rotateSecret.mutate({ id }, asNora)).dashboard;
    expect(await authenticate(id, rotated.secret)).toMatchObject({ tenantKey: tenantKeyOf(us.nora) });
    const copied = (await platform.access.dashboards.duplicate.mutate({ id }, asNora)).dashboard;
    expect(await authenticate(copied.id, copied.secret)).toMatchObject({ tenantKey: tenantKeyOf(us.nora) });
  });

  it('shows its tokens the domains of the token that got it last, also after a change of owner', async () => {
    const semanticDomainAccess = { mode: 'include', domains: ['sales'] } as const;
    const limited = { ...us.ada, semanticDomainAccess: { ...semanticDomainAccess, domains: ['sales'] } };
    const { id, secret } = await platform.createDashboard(limited);
    expect(await authenticate(id, secret)).toMatchObject({ domainAccess: semanticDomainAccess });
    const asRoot = { context: await platform.as(us.root) };
    await platform.access.dashboards.takeOwnership.mutate({ id }, asRoot);
    expect(await authenticate(id, secret)).toMatchObject({ domainAccess: semanticDomainAccess });
    const { dashboard } = await platform.access.dashboards.rotateSecret.mutate({ id }, asRoot);
    expect((await authenticate(id, dashboard.secret))?.domainAccess).toBeUndefined();
    await platform.share(us.root, id, shareWith(us.ada, 'OWNER'));
    const asLimited = { context: await platform.as(limited) };
    const rotated = (await platform.access.dashboards.rotateSecret.mutate({ id }, asLimited)).dashboard;
    expect(await authenticate(id, rotated.secret)).toMatchObject({ domainAccess: semanticDomainAccess });
    const copied = (await platform.access.dashboards.duplicate.mutate({ id }, asLimited)).dashboard;
    expect(await authenticate(copied.id, copied.secret)).toMatchObject({
      domainAccess: semanticDomainAccess,
    });
  });

  it('of a former release acts for the tenant of the owner, also after a take-over', async () => {
    for (const owner of [us.nora, us.ada]) {
      const { id, secret } = await platform.createDashboard(owner);
      const stored = platform.database.collection<{ _id: string }>('dashboards');
      await stored.updateOne({ _id: id }, { $unset: { secretTenantKey: '' } });
      expect(await authenticate(id, secret)).toMatchObject({ tenantKey: tenantKeyOf(owner) });
      const asRoot = { context: await platform.as(us.root) };
      await platform.access.dashboards.takeOwnership.mutate({ id }, asRoot);
      expect(await authenticate(id, secret)).toMatchObject({ tenantKey: tenantKeyOf(owner) });
    }
  });

  it('is rotated only by an OWNER and verified only for the platform', async () => {
    const { id, secret } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, shareWith(us.otto, 'CONTRIBUTOR'));
    const { access, as } = platform;
    expect(
      await errorCode(async () =>
        access.dashboards.rotateSecret.mutate({ id }, { context: await as(us.otto) }),
      ),
    ).toBe('FORBIDDEN');
    const input = { dashboardId: id, dashboardSecret: secret };
    expect(
      await errorCode(async () => access.dashboards.authenticate.query(input, { context: await as(us.ada) })),
    ).toBe('UNAUTHENTICATED');
  });

  it('of a deleted dashboard is invalid', async () => {
    const { id, secret } = await platform.createDashboard(us.ada);
    await platform.access.dashboards.delete.mutate({ id }, { context: await platform.as(us.ada) });
    expect(await authenticate(id, secret)).toBeNull();
  });
});

describe('linked visuals', () => {
  const getVisual = async (caller: Caller, id: string) =>
    (await platform.access.visuals.get.query({ id }, { context: await platform.as(caller) })).visual;

  it('are visible to viewers of the dashboard, as long as they have access to it', async () => {
    const visual = await platform.createVisual(us.ada, { frameObject: { kind: 'bar' } });
    const dashboard = await platform.createDashboard(us.ada, { template: templateLinking(visual.id) });
    expect(await errorCode(() => getVisual(us.nora, visual.id))).toBe('NOT_FOUND');
    await platform.share(us.ada, dashboard.id, shareWith(us.nora, 'EDITOR'));
    expect(await getVisual(us.nora, visual.id)).toMatchObject({
      accessLevel: 'VIEWER',
      permissions: { canEdit: false },
      frameObject: { kind: 'bar' },
    });
    const { access, as } = platform;
    const change = { id: visual.id, title: 'x' };
    expect(
      await errorCode(async () => access.visuals.update.mutate(change, { context: await as(us.nora) })),
    ).toBe('FORBIDDEN');
    const shares = [shareWith(us.nora, 'VIEWER')];
    await access.dashboardShares.revoke.mutate({ id: dashboard.id, shares }, { context: await as(us.ada) });
    expect(await errorCode(() => getVisual(us.nora, visual.id))).toBe('NOT_FOUND');
  });

  it('give no access if the saver of the template may not see the visual', async () => {
    const { id } = await platform.createVisual(us.ada);
    const { id: dashboardId } = await platform.createDashboard(us.nora, { template: templateLinking(id) });
    expect(await errorCode(() => getVisual(us.nora, id))).toBe('NOT_FOUND');
    const { access, as } = platform;
    const template = { ...templateLinking(id), again: true };
    await access.dashboards.update.mutate({ id: dashboardId, template }, { context: await as(us.nora) });
    expect(await errorCode(() => getVisual(us.nora, id))).toBe('NOT_FOUND');
    await access.dashboards.duplicate.mutate({ id: dashboardId }, { context: await as(us.nora) });
    expect(await errorCode(() => getVisual(us.nora, id))).toBe('NOT_FOUND');
    expect((await access.visuals.list.query({}, { context: await as(us.nora) })).visuals).toEqual([]);
  });

  it('give access one by one: a hidden visual beside a visible one stays hidden', async () => {
    const visible = await platform.createVisual(us.ada);
    const hidden = await platform.createVisual(us.ada);
    await platform.share(us.ada, visible.id, shareWith(us.nora, 'VIEWER'));
    const template = templateLinking(visible.id, hidden.id, 'v_absent', '$where', '');
    const own = await platform.createDashboard(us.nora, { template });
    await platform.share(us.nora, own.id, shareWith(us.nick, 'VIEWER'));
    expect((await getVisual(us.nick, visible.id)).accessLevel).toBe('VIEWER');
    expect(await errorCode(() => getVisual(us.nick, hidden.id))).toBe('NOT_FOUND');
    expect(await errorCode(() => getVisual(us.nora, hidden.id))).toBe('NOT_FOUND');
    const [event] = await platform.eventsOf('management.dashboard.created.v1', own.id);
    expect(event?.data['linkedVisualIds']).toEqual([visible.id]);
  });

  it('are not passed on by a user who sees them through a dashboard alone', async () => {
    const visual = await platform.createVisual(us.ada);
    const template = templateLinking(visual.id);
    const dashboard = await platform.createDashboard(us.ada, { template });
    await platform.share(us.ada, dashboard.id, shareWith(us.nora, 'VIEWER'));
    const { access, as } = platform;
    const copies = [
      (await access.dashboards.duplicate.mutate({ id: dashboard.id }, { context: await as(us.nora) }))
        .dashboard,
      await platform.createDashboard(us.nora, { template }),
    ];
    for (const { id } of copies) await platform.share(us.nora, id, shareWith(us.nick, 'VIEWER'));
    expect((await getVisual(us.nora, visual.id)).accessLevel).toBe('VIEWER');
    expect(await errorCode(() => getVisual(us.nick, visual.id))).toBe('NOT_FOUND');
    const shares = [shareWith(us.nora, 'VIEWER')];
    await access.dashboardShares.revoke.mutate({ id: dashboard.id, shares }, { context: await as(us.ada) });
    expect(await errorCode(() => getVisual(us.nora, visual.id))).toBe('NOT_FOUND');
    await access.dashboards.delete.mutate({ id: dashboard.id }, { context: await as(us.ada) });
    await access.visuals.delete.mutate({ id: visual.id }, { context: await as(us.ada) });
  });

  it('stay linked when a user saves the dashboard who may not see the visuals', async () => {
    const visual = await platform.createVisual(us.ada);
    const dashboard = await platform.createDashboard(us.ada, { template: templateLinking(visual.id) });
    await platform.share(us.ada, dashboard.id, shareWith(us.otto, 'EDITOR'), shareWith(us.vera, 'VIEWER'));
    const template = { ...templateLinking(visual.id), color: 'red' };
    const { access, as } = platform;
    await access.dashboards.update.mutate({ id: dashboard.id, template }, { context: await as(us.otto) });
    expect((await getVisual(us.vera, visual.id)).accessLevel).toBe('VIEWER');
    await access.dashboards.update.mutate(
      { id: dashboard.id, template: { sheets: [] } },
      { context: await as(us.otto) },
    );
    expect(await errorCode(() => getVisual(us.vera, visual.id))).toBe('NOT_FOUND');
    await access.dashboards.update.mutate({ id: dashboard.id, template }, { context: await as(us.otto) });
    expect(await errorCode(() => getVisual(us.vera, visual.id))).toBe('NOT_FOUND');
  });

  it('are not added with a dashboard token, which reaches its own dashboard only', async () => {
    const [linked, other] = [await platform.createVisual(us.ada), await platform.createVisual(us.ada)];
    const { id } = await platform.createDashboard(us.ada, { template: templateLinking(linked.id) });
    await platform.share(us.ada, id, shareWith(us.nora, 'OWNER'));
    const { access, as } = platform;
    const context = await as(dashboardBearer(id, us.ada));
    const template = templateLinking(linked.id, other.id);
    await access.dashboards.update.mutate({ id, template }, { context });
    expect((await getVisual(us.nora, linked.id)).accessLevel).toBe('VIEWER');
    expect(await errorCode(() => getVisual(us.nora, other.id))).toBe('NOT_FOUND');
  });

  it('of another project give no access', async () => {
    const elsewhere = { ...us.ada, projectId: 'p_other' };
    const visual = await platform.createVisual(elsewhere, { isPrivate: false });
    await platform.createDashboard(us.ada, { template: templateLinking(visual.id), isPrivate: false });
    expect(await errorCode(() => getVisual(us.ada, visual.id))).toBe('NOT_FOUND');
  });

  it('cannot be deleted while dashboards link them', async () => {
    const visual = await platform.createVisual(us.ada, { isPrivate: false });
    const template = templateLinking(visual.id);
    const seen = [];
    for (let index = 0; index < 11; index += 1)
      seen.push(await platform.createDashboard(us.ada, { template }));
    await platform.createDashboard(us.otto, { template });
    const { access, as } = platform;
    const remove = async () => access.visuals.delete.mutate({ id: visual.id }, { context: await as(us.ada) });
    const error = await platform.rejectionOf(remove);
    expect(error.code).toBe('CONFLICT');
    expect(error.blockedBy).toHaveLength(10);
    const ids = seen.map(({ id }) => id);
    for (const blocking of error.blockedBy ?? []) expect(ids).toContain(blocking.id);
    for (const { id } of seen)
      await access.dashboards.update.mutate({ id, template: null }, { context: await as(us.ada) });
    // The message does not state how many dashboards of others link it.
    const byHidden = await platform.rejectionOf(remove);
    expect([byHidden.message, byHidden.blockedBy]).toEqual(['Dashboards link the visual', []]);
    expect(byHidden.message).toBe(error.message);
    const { dashboards } = await access.dashboards.list.query({}, { context: await as(us.otto) });
    await access.dashboards.delete.mutate({ id: dashboards[0]?.id ?? '' }, { context: await as(us.otto) });
    expect(await remove()).toMatchObject({ deletedVisual: { id: visual.id, title: 'Chart' } });
  });
});
