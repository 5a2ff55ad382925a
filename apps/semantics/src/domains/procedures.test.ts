import { toAppError } from '@gatehouse/service';
import type { Principal } from '@gatehouse/contract';
import {
  type Callers,
  callersOf,
  DOMAIN_ACCESS_CASES,
  DOMAIN_CALLERS,
  DOMAIN_VERBS,
  domainAccessOf,
  domainOutcome,
  type DomainVerb,
  newGround,
} from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { startPlatform, type TestPlatform } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
let us: Callers;
beforeEach(() => {
  us = callersOf(newGround());
});

type Fields = Parameters<TestPlatform['semantics']['domains']['create']['mutate']>[0];
const create = async (fields: Fields, by: Principal = us.orgAdmin) =>
  (await platform.semantics.domains.create.mutate(fields, { context: await platform.as(by) })).domain;
const rejectionOf = (call: () => Promise<unknown>) => platform.rejectionOf(call);
const codeOf = async (call: () => Promise<unknown>) => (await rejectionOf(call)).code;

describe('the access of each caller, token and operation', () => {
  const calls: Record<DomainVerb, (by: Principal, domainId: string) => Promise<unknown>> = {
    list: async (by) => platform.semantics.domains.list.query({}, { context: await platform.as(by) }),
    get: async (by, domainId) =>
      platform.semantics.domains.get.query({ domainId }, { context: await platform.as(by) }),
    getTemplate: async (by, domainId) =>
      platform.semantics.domains.getTemplate.query({ domainId }, { context: await platform.as(by) }),
    create: async (by) =>
      platform.semantics.domains.create.mutate({ name: 'made' }, { context: await platform.as(by) }),
    update: async (by, domainId) =>
      platform.semantics.domains.update.mutate(
        { domainId, label: 'New' },
        { context: await platform.as(by) },
      ),
    delete: async (by, domainId) =>
      platform.semantics.domains.delete.mutate({ domainId }, { context: await platform.as(by) }),
    putTemplate: async (by, domainId) =>
      platform.semantics.domains.putTemplate.mutate(
        {
          domainId,
          datasets: [{ name: 'orders', table: 'orders' }],
        },
        { context: await platform.as(by) },
      ),
  };

  async function outcomeOf(by: Principal, verb: DomainVerb, id: string) {
    let output: unknown;
    try {
      output = await calls[verb](by, id);
    } catch (error) {
      const { code } = toAppError(error);
      return { NOT_FOUND: 'hidden', FORBIDDEN: 'no' }[code as string] ?? code;
    }
    return verb !== 'list' || JSON.stringify(output).includes(`"${id}"`) ? 'yes' : 'hidden';
  }

  it.each(DOMAIN_CALLERS)('%s', async (caller) => {
    for (const access of DOMAIN_ACCESS_CASES) {
      for (const verb of DOMAIN_VERBS) {
        us = callersOf(newGround());
        const [domain, other] = [await create({ name: 'sales' }), await create({ name: 'stock' })];
        const semanticDomainAccess = domainAccessOf(access, domain, other);
        const by = { ...us[caller], ...(semanticDomainAccess && { semanticDomainAccess }) };
        const outcome = { access, verb, outcome: await outcomeOf(by, verb, domain.id) };
        expect(outcome).toEqual({ access, verb, outcome: domainOutcome(caller, access, verb) });
      }
    }
  });
});

describe('a domain', () => {
  it('is created with defaults, read, and listed by name', async () => {
    const { id, ...made } = await create({ name: 'sales' });
    expect(id).toMatch(/^dom_/);
    expect(made).toMatchObject({
      projectId: us.orgAdmin.projectId,
      name: 'sales',
      label: 'sales',
      description: '',
      createdBy: 'ou_admin',
      version: 1,
    });
    const other = await create({ name: 'cost_centers', label: 'Cost centers', description: 'Who pays' });
    expect(other).toMatchObject({ label: 'Cost centers', description: 'Who pays' });
    const { domains } = await platform.semantics.domains.list.query(
      {},
      { context: await platform.as(us.service) },
    );
    expect(domains).toEqual([other, { id, ...made }]);
    const [event] = await platform.eventsOf('management.domain.created.v1', id);
    expect(event).toMatchObject({ actorid: 'ou_admin', data: { id, name: 'sales' } });
  });

  it.each([['Sales'], ['sales2'], ['sales-eu'], [''], ['größe'], ['sales '], ['sales\n']])(
    'rejects the name %j',
    async (name) => {
      const { code, fieldErrors } = await rejectionOf(() => create({ name }));
      expect([code, fieldErrors?.[0]?.field]).toEqual(['INVALID_REQUEST', 'name']);
    },
  );

  it('rejects an empty label', async () => {
    const { fieldErrors } = await rejectionOf(() => create({ name: 'sales', label: '' }));
    expect(fieldErrors?.[0]?.field).toBe('label');
  });

  it('has a unique name in the project, which a deletion frees', async () => {
    const { id } = await create({ name: 'sales' });
    const { id: otherId } = await create({ name: 'stock' });
    const { code, fieldErrors } = await rejectionOf(() => create({ name: 'sales' }));
    expect([code, fieldErrors]).toEqual([
      'CONFLICT',
      [{ field: 'name', message: 'is taken', code: 'duplicate' }],
    ]);
    const rename = async () =>
      platform.semantics.domains.update.mutate(
        { domainId: otherId, name: 'sales' },
        { context: await platform.as(us.orgAdmin) },
      );
    expect(await codeOf(rename)).toBe('CONFLICT');
    await create({ name: 'sales' }, callersOf(newGround()).orgAdmin);
    const deleted = await platform.semantics.domains.delete.mutate(
      { domainId: id },
      { context: await platform.as(us.orgAdmin) },
    );
    expect(deleted.deletedDomain).toEqual({ id, name: 'sales' });
    await rename();
  });

  it('updates the given fields that differ, and publishes the changes', async () => {
    const { id: domainId } = await create({ name: 'sales', description: 'Old' });
    const update = async (fields: object) =>
      (
        await platform.semantics.domains.update.mutate(
          { domainId, ...fields },
          { context: await platform.as(us.orgAdmin) },
        )
      ).domain;
    expect(await update({ description: 'Old' })).toMatchObject({ version: 1 });
    expect(await update({ name: 'revenue', description: 'New' })).toMatchObject({
      name: 'revenue',
      label: 'sales',
      description: 'New',
      version: 2,
    });
    const [event] = await platform.eventsOf('management.domain.updated.v1', domainId);
    expect(event?.data['changes']).toEqual({
      name: { from: 'sales', to: 'revenue' },
      description: { from: 'Old', to: 'New' },
    });
    const { code, fieldErrors } = await rejectionOf(() => update({}));
    expect([code, fieldErrors?.[0]?.field]).toEqual(['INVALID_REQUEST', 'body']);
  });

  it('rejects an update or deletion with another expected version', async () => {
    const { id: domainId } = await create({ name: 'sales' });
    const stale = await platform.as(us.orgAdmin, [2]);
    const { domains } = platform.semantics;
    expect(await codeOf(() => domains.update.mutate({ domainId, label: 'x' }, { context: stale }))).toBe(
      'PRECONDITION_FAILED',
    );
    expect(await codeOf(() => domains.delete.mutate({ domainId }, { context: stale }))).toBe(
      'PRECONDITION_FAILED',
    );
    expect(
      await codeOf(() =>
        domains.putTemplate.mutate({ domainId, datasets: [{ name: 'a', table: 'a' }] }, { context: stale }),
      ),
    ).toBe('PRECONDITION_FAILED');
  });

  it('returns 404 after its deletion', async () => {
    const { id: domainId } = await create({ name: 'sales' });
    const as = await platform.as(us.orgAdmin);
    await platform.semantics.domains.delete.mutate({ domainId }, { context: as });
    expect(await codeOf(() => platform.semantics.domains.get.query({ domainId }, { context: as }))).toBe(
      'NOT_FOUND',
    );
    expect(await codeOf(() => platform.semantics.domains.delete.mutate({ domainId }, { context: as }))).toBe(
      'NOT_FOUND',
    );
    await platform.eventsOf('management.domain.deleted.v1', domainId);
  });

  it('returns the error of a missing domain when the token does not see it', async () => {
    const { id: domainId } = await create({ name: 'sales' });
    const blind = await platform.as({ ...us.orgAdmin, semanticDomainAccess: { mode: 'none' } });
    const { domains } = platform.semantics;
    const faulty = { datasets: [{ name: 'a', table: 'a', connectionId: 'c_none' }] };
    const pairs = (id: string) => [
      () => domains.get.query({ domainId: id }, { context: blind }),
      () => domains.update.mutate({ domainId: id, label: 'x' }, { context: blind }),
      () => domains.putTemplate.mutate({ domainId: id, ...faulty }, { context: blind }),
    ];
    for (const [index, hidden] of pairs(domainId).entries()) {
      const unknown = pairs('dom_none')[index];
      expect((await rejectionOf(hidden)).toWire()).toEqual(
        (await rejectionOf(async () => unknown?.())).toWire(),
      );
    }
  });
});

describe('a template', () => {
  const connection = async () => {
    const config = { dialect: 'postgres' as const };
    const fields = { name: 'Warehouse', type: 'static' as const, config };
    return (
      await platform.semantics.connections.create.mutate(fields, { context: await platform.as(us.orgAdmin) })
    ).connection.id;
  };
  const put = async (domainId: string, template: object) =>
    platform.semantics.domains.putTemplate.mutate(
      { domainId, ...template },
      { context: await platform.as(us.orgAdmin) },
    );

  it('is empty at first, replaced whole, and published without its content', async () => {
    const { id: domainId } = await create({ name: 'sales' });
    const get = async () =>
      platform.semantics.domains.getTemplate.query({ domainId }, { context: await platform.as(us.service) });
    const empty = { datasets: [], relationships: [], calculatedFields: [] };
    expect((await get()).template).toEqual(empty);
    const datasets = [{ name: 'orders', connectionId: await connection(), table: 'orders' }];
    const calculatedFields = [{ dataset: 'orders', name: 'net', expression: 'gross - tax' }];
    const { domain, template } = await put(domainId, { datasets, calculatedFields });
    expect([domain.version, template]).toEqual([2, { ...empty, datasets, calculatedFields }]);
    expect(await get()).toEqual({ domain, template });
    expect((await put(domainId, { datasets, calculatedFields })).domain.version).toBe(2);
    const [event] = await platform.eventsOf('management.domain_template.updated.v1', domainId);
    expect(event?.data).toEqual({ id: domainId, projectId: us.orgAdmin.projectId, name: 'sales' });
    expect((await put(domainId, {})).template).toEqual(empty);
  });

  it('is rejected with the field that names an unknown connection or dataset', async () => {
    const { id: domainId } = await create({ name: 'sales' });
    const other = callersOf(newGround());
    const foreign = await platform.semantics.connections.create.mutate(
      {
        name: 'Warehouse',
        type: 'static',
        config: { dialect: 'postgres' },
      },
      { context: await platform.as(other.orgAdmin) },
    );
    const datasets = [
      { name: 'orders', table: 'orders' },
      { name: 'people', table: 'people', connectionId: foreign.connection.id },
    ];
    const connectionFault = await rejectionOf(() => put(domainId, { datasets }));
    expect(connectionFault.fieldErrors?.map(({ field }) => field)).toEqual(['datasets[1].connectionId']);
    const relationships = [
      { source: 'orders', target: 'none', on: [{ sourceColumn: 'a', targetColumn: 'b' }] },
    ];
    const relationFault = await rejectionOf(() =>
      put(domainId, { datasets: datasets.slice(0, 1), relationships }),
    );
    expect(relationFault.fieldErrors?.map(({ field }) => field)).toEqual(['relationships[0].target']);
  });
});

describe('domains.findUnknown', () => {
  it('searches the given project only, and accepts only calls of the platform', async () => {
    const { id } = await create({ name: 'sales' });
    const { organizationId, projectId } = us.orgAdmin;
    const query = { organizationId, projectId, domains: ['none', 'sales', id, 'dom_none'] };
    const system = await platform.as({ kind: 'system', name: 'gateway' });
    const { findUnknown } = platform.semantics.domains;
    expect(await findUnknown.query(query, { context: system })).toEqual({ unknown: ['none', 'dom_none'] });
    const elsewhere = { ...query, projectId: newGround().projectId };
    expect(await findUnknown.query(elsewhere, { context: system })).toEqual({ unknown: query.domains });
    const admin = await platform.as(us.orgAdmin);
    expect(await codeOf(() => findUnknown.query(query, { context: admin }))).toBe('UNAUTHENTICATED');
  });
});
