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
  startTestMongo,
  type TestMongo,
} from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startPlatform, type TestPlatform } from '../testing/platform.js';

let mongo: TestMongo;
let platform: TestPlatform;
let us: Callers;
beforeAll(async () => {
  mongo = await startTestMongo();
  platform = await startPlatform(mongo.databases);
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});
beforeEach(() => {
  us = callersOf(newGround());
});

type Fields = Parameters<TestPlatform['semantics']['domains']['create']>[1];
const create = async (fields: Fields, by: Principal = us.orgAdmin) =>
  (await platform.semantics.domains.create(await platform.as(by), fields)).domain;
const refusalOf = (call: () => Promise<unknown>) => platform.refusalOf(call);
const codeOf = async (call: () => Promise<unknown>) => (await refusalOf(call)).code;

describe('each cell of who may do what', () => {
  const calls: Record<DomainVerb, (by: Principal, domainId: string) => Promise<unknown>> = {
    list: async (by) => platform.semantics.domains.list(await platform.as(by), {}),
    get: async (by, domainId) => platform.semantics.domains.get(await platform.as(by), { domainId }),
    getTemplate: async (by, domainId) =>
      platform.semantics.domains.getTemplate(await platform.as(by), { domainId }),
    create: async (by) => platform.semantics.domains.create(await platform.as(by), { name: 'made' }),
    update: async (by, domainId) =>
      platform.semantics.domains.update(await platform.as(by), { domainId, label: 'New' }),
    delete: async (by, domainId) => platform.semantics.domains.delete(await platform.as(by), { domainId }),
    putTemplate: async (by, domainId) =>
      platform.semantics.domains.putTemplate(await platform.as(by), {
        domainId,
        datasets: [{ name: 'orders', table: 'orders' }],
      }),
  };

  async function outcomeOf(by: Principal, verb: DomainVerb, id: string) {
    let answer: unknown;
    try {
      answer = await calls[verb](by, id);
    } catch (error) {
      const { code } = error as { code: string };
      return { NOT_FOUND: 'hidden', FORBIDDEN: 'no' }[code] ?? code;
    }
    return verb !== 'list' || JSON.stringify(answer).includes(`"${id}"`) ? 'yes' : 'hidden';
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
  it('is made with its defaults, read and listed by name', async () => {
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
    const { domains } = await platform.semantics.domains.list(await platform.as(us.service), {});
    expect(domains).toEqual([other, { id, ...made }]);
    const [event] = await platform.eventsOf('management.domain.created.v1', id);
    expect(event).toMatchObject({ actorid: 'ou_admin', data: { id, name: 'sales' } });
  });

  it.each([['Sales'], ['sales2'], ['sales-eu'], [''], ['größe'], ['sales '], ['sales\n']])(
    'is not named %j',
    async (name) => {
      const { code, fieldErrors } = await refusalOf(() => create({ name }));
      expect([code, fieldErrors?.[0]?.field]).toEqual(['INVALID_REQUEST', 'name']);
    },
  );

  it('has a label that is not empty', async () => {
    const { fieldErrors } = await refusalOf(() => create({ name: 'sales', label: '' }));
    expect(fieldErrors?.[0]?.field).toBe('label');
  });

  it('has a name that no other of the project has, until that is deleted', async () => {
    const { id } = await create({ name: 'sales' });
    const { id: otherId } = await create({ name: 'stock' });
    const { code, fieldErrors } = await refusalOf(() => create({ name: 'sales' }));
    expect([code, fieldErrors]).toEqual(['CONFLICT', [{ field: 'name', message: 'is taken' }]]);
    const rename = async () =>
      platform.semantics.domains.update(await platform.as(us.orgAdmin), { domainId: otherId, name: 'sales' });
    expect(await codeOf(rename)).toBe('CONFLICT');
    await create({ name: 'sales' }, callersOf(newGround()).orgAdmin);
    const deleted = await platform.semantics.domains.delete(await platform.as(us.orgAdmin), { domainId: id });
    expect(deleted.deletedDomain).toEqual({ id, name: 'sales' });
    await rename();
  });

  it('is changed where a field is given and differs, and tells of it', async () => {
    const { id: domainId } = await create({ name: 'sales', description: 'Old' });
    const update = async (fields: object) =>
      (await platform.semantics.domains.update(await platform.as(us.orgAdmin), { domainId, ...fields }))
        .domain;
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
    const { code, fieldErrors } = await refusalOf(() => update({}));
    expect([code, fieldErrors?.[0]?.field]).toEqual(['INVALID_REQUEST', 'body']);
  });

  it('is neither changed nor deleted when it is not the version asked for', async () => {
    const { id: domainId } = await create({ name: 'sales' });
    const stale = await platform.as(us.orgAdmin, [2]);
    const { domains } = platform.semantics;
    expect(await codeOf(() => domains.update(stale, { domainId, label: 'x' }))).toBe('PRECONDITION_FAILED');
    expect(await codeOf(() => domains.delete(stale, { domainId }))).toBe('PRECONDITION_FAILED');
    expect(
      await codeOf(() => domains.putTemplate(stale, { domainId, datasets: [{ name: 'a', table: 'a' }] })),
    ).toBe('PRECONDITION_FAILED');
  });

  it('is gone once it is deleted', async () => {
    const { id: domainId } = await create({ name: 'sales' });
    const as = await platform.as(us.orgAdmin);
    await platform.semantics.domains.delete(as, { domainId });
    expect(await codeOf(() => platform.semantics.domains.get(as, { domainId }))).toBe('NOT_FOUND');
    expect(await codeOf(() => platform.semantics.domains.delete(as, { domainId }))).toBe('NOT_FOUND');
    await platform.eventsOf('management.domain.deleted.v1', domainId);
  });

  it('is hidden in the very words of one that does not exist', async () => {
    const { id: domainId } = await create({ name: 'sales' });
    const blind = await platform.as({ ...us.orgAdmin, semanticDomainAccess: { mode: 'none' } });
    const { domains } = platform.semantics;
    const faulty = { datasets: [{ name: 'a', table: 'a', connectionId: 'c_none' }] };
    const pairs = (id: string) => [
      () => domains.get(blind, { domainId: id }),
      () => domains.update(blind, { domainId: id, label: 'x' }),
      () => domains.putTemplate(blind, { domainId: id, ...faulty }),
    ];
    for (const [index, hidden] of pairs(domainId).entries()) {
      const unknown = pairs('dom_none')[index];
      expect((await refusalOf(hidden)).toWire()).toEqual((await refusalOf(async () => unknown?.())).toWire());
    }
  });
});

describe('a template', () => {
  const connection = async () => {
    const config = { dialect: 'postgres' as const };
    const fields = { name: 'Warehouse', type: 'static' as const, config };
    return (await platform.semantics.connections.create(await platform.as(us.orgAdmin), fields)).connection
      .id;
  };
  const put = async (domainId: string, template: object) =>
    platform.semantics.domains.putTemplate(await platform.as(us.orgAdmin), { domainId, ...template });

  it('is empty at first, replaced whole, and told of without its content', async () => {
    const { id: domainId } = await create({ name: 'sales' });
    const get = async () =>
      platform.semantics.domains.getTemplate(await platform.as(us.service), { domainId });
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

  it('is refused with the place when it names what is not there', async () => {
    const { id: domainId } = await create({ name: 'sales' });
    const other = callersOf(newGround());
    const foreign = await platform.semantics.connections.create(await platform.as(other.orgAdmin), {
      name: 'Warehouse',
      type: 'static',
      config: { dialect: 'postgres' },
    });
    const datasets = [
      { name: 'orders', table: 'orders' },
      { name: 'people', table: 'people', connectionId: foreign.connection.id },
    ];
    const connectionFault = await refusalOf(() => put(domainId, { datasets }));
    expect(connectionFault.fieldErrors?.map(({ field }) => field)).toEqual(['datasets[1].connectionId']);
    const relationships = [
      { source: 'orders', target: 'none', on: [{ sourceColumn: 'a', targetColumn: 'b' }] },
    ];
    const relationFault = await refusalOf(() =>
      put(domainId, { datasets: datasets.slice(0, 1), relationships }),
    );
    expect(relationFault.fieldErrors?.map(({ field }) => field)).toEqual(['relationships[0].target']);
  });
});

describe('names and ids that tokens ask for', () => {
  it('are looked up in their project alone, by the platform alone', async () => {
    const { id } = await create({ name: 'sales' });
    const { organizationId, projectId } = us.orgAdmin;
    const question = { organizationId, projectId, domains: ['none', 'sales', id, 'dom_none'] };
    const system = await platform.as({ kind: 'system', name: 'gateway' });
    const { findUnknown } = platform.semantics.domains;
    expect(await findUnknown(system, question)).toEqual({ unknown: ['none', 'dom_none'] });
    const elsewhere = { ...question, projectId: newGround().projectId };
    expect(await findUnknown(system, elsewhere)).toEqual({ unknown: question.domains });
    const admin = await platform.as(us.orgAdmin);
    expect(await codeOf(() => findUnknown(admin, question))).toBe('UNAUTHENTICATED');
  });
});
