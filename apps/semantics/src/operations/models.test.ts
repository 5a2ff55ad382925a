import type { Principal } from '@gatehouse/contract';
import { type Callers, callersOf, newGround, startTestMongo, type TestMongo } from '@gatehouse/testing';
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

type Callees = TestPlatform['semantics'];
const CALLERS = Object.keys(callersOf(newGround())) as (keyof Callers)[];
const refusedCallers = CALLERS.filter((caller) => !['orgAdmin', 'orgAuthor'].includes(caller));
const codeOf = async (call: () => Promise<unknown>) => (await platform.refusalOf(call)).code;
const faultsOf = async (call: () => Promise<unknown>) =>
  (await platform.refusalOf(call)).fieldErrors?.map(({ field }) => field);

async function createConnection(name = 'Warehouse', by: Principal = us.orgAdmin) {
  const fields = { name, type: 'static' as const, config: { dialect: 'mysql' as const } };
  return (await platform.semantics.connections.create(await platform.as(by), fields)).connection.id;
}

describe('data models', () => {
  type Fields = Omit<Parameters<Callees['datamodels']['create']>[1], 'connectionId'>;
  const create = async (
    fields: Partial<Fields> & { connectionId?: string } = {},
    by: Principal = us.orgAuthor,
  ) => {
    const { connectionId = await createConnection(), ...others } = fields;
    const input = { name: 'Model', connectionId, ...others };
    return (await platform.semantics.datamodels.create(await platform.as(by), input)).datamodel;
  };
  const update = async (id: string, fields: object) =>
    (await platform.semantics.datamodels.update(await platform.as(us.orgAuthor), { id, ...fields }))
      .datamodel;

  it.each(refusedCallers)('are no business of %s', async (caller) => {
    const { id, connectionId } = await create();
    const as = await platform.as(us[caller]);
    const { datamodels } = platform.semantics;
    for (const call of [
      () => datamodels.list(as, {}),
      () => datamodels.get(as, { id }),
      () => datamodels.create(as, { name: 'Other', connectionId }),
      () => datamodels.update(as, { id, name: 'Other' }),
      () => datamodels.delete(as, { id }),
    ]) {
      expect(await codeOf(call)).toBe('FORBIDDEN');
    }
  });

  it('are made, read, listed without their templates, changed and deleted', async () => {
    const template = { datasets: [{ name: 'orders', table: 'orders' }] };
    const made = await create({ template, description: 'All of it' });
    const { template: stored, ...summary } = made;
    expect(made).toMatchObject({
      id: expect.stringMatching(/^dm_/) as unknown,
      createdBy: 'ou_author',
      version: 1,
    });
    expect(stored).toEqual({ ...template, relationships: [], calculatedFields: [] });
    const as = await platform.as(us.orgAdmin);
    const { datamodels } = platform.semantics;
    const { id } = made;
    expect((await datamodels.get(as, { id })).datamodel).toEqual(made);
    expect((await datamodels.list(as, {})).datamodels).toEqual([summary]);
    const changed = await update(id, { name: 'Renamed', template: {} });
    expect(changed).toMatchObject({ name: 'Renamed', version: 2, template: { datasets: [] } });
    expect(await update(id, { name: 'Renamed', template: {} })).toEqual(changed);
    const [event] = await platform.eventsOf('management.datamodel.updated.v1', id);
    expect(event?.data['changes']).toEqual({
      name: { from: 'Model', to: 'Renamed' },
      template: { from: null, to: null },
    });
    expect((await datamodels.delete(as, { id })).deletedDatamodel).toEqual({ id, name: 'Renamed' });
    expect(await codeOf(() => datamodels.get(as, { id }))).toBe('NOT_FOUND');
    await platform.eventsOf('management.datamodel.deleted.v1', id);
  });

  it('have names of their own in the project, and are found in no other', async () => {
    const { id, connectionId } = await create();
    expect(await codeOf(() => create({ connectionId }))).toBe('CONFLICT');
    const { id: otherId } = await create({ name: 'Other', connectionId });
    expect(await codeOf(() => update(otherId, { name: 'Model' }))).toBe('CONFLICT');
    const stranger = await platform.as(callersOf(newGround()).orgAdmin);
    const { datamodels } = platform.semantics;
    expect(await codeOf(() => datamodels.get(stranger, { id }))).toBe('NOT_FOUND');
    expect(await codeOf(() => datamodels.update(stranger, { id, name: 'Mine' }))).toBe('NOT_FOUND');
    expect(await codeOf(() => datamodels.delete(stranger, { id }))).toBe('NOT_FOUND');
  });

  it('have a connection of their project, and templates without another', async () => {
    const { id } = await create();
    const foreign = await createConnection('Warehouse', callersOf(newGround()).orgAdmin);
    expect(await faultsOf(() => create({ name: 'Other', connectionId: foreign }))).toEqual(['connectionId']);
    expect(await faultsOf(() => update(id, { connectionId: foreign }))).toEqual(['connectionId']);
    const connectionId = await createConnection('Second');
    expect(await update(id, { connectionId })).toMatchObject({ connectionId, version: 2 });
    const template = { datasets: [{ name: 'a', table: 'a', connectionId }] };
    expect(await faultsOf(() => update(id, { template }))).toEqual(['template.datasets[0].connectionId']);
    const twice = {
      datasets: [
        { name: 'a', table: 'a' },
        { name: 'a', table: 'b' },
      ],
    };
    expect(await faultsOf(() => update(id, { template: twice }))).toEqual(['template.datasets[1].name']);
  });

  it('are not changed in another version', async () => {
    const { id } = await create();
    const stale = await platform.as(us.orgAuthor, [5]);
    const { datamodels } = platform.semantics;
    expect(await codeOf(() => datamodels.update(stale, { id, name: 'x' }))).toBe('PRECONDITION_FAILED');
    expect(await codeOf(() => datamodels.delete(stale, { id }))).toBe('PRECONDITION_FAILED');
  });

  it('and their connections never part when one is deleted while the other is made', async () => {
    const admin = await platform.as(us.orgAdmin);
    const { connections, datamodels } = platform.semantics;
    for (let round = 0; round < 20; round += 1) {
      const connectionId = await createConnection(`Warehouse ${round}`);
      const [made, deleted] = await Promise.allSettled([
        create({ name: `Model ${round}`, connectionId }),
        connections.delete(admin, { id: connectionId }),
      ]);
      expect([made.status, deleted.status].toSorted()).toEqual(['fulfilled', 'rejected']);
      const models = (await datamodels.list(admin, {})).datamodels.filter(
        ({ name }) => name === `Model ${round}`,
      );
      expect(models).toHaveLength(made.status === 'fulfilled' ? 1 : 0);
    }
  });
});

describe('assistant profiles', () => {
  const create = async (fields: object = {}, by: Principal = us.orgAuthor) =>
    (await platform.semantics.assistantProfiles.create(await platform.as(by), { name: 'Analyst', ...fields }))
      .assistantProfile;

  it.each(refusedCallers)('are no business of %s', async (caller) => {
    const { id } = await create();
    const as = await platform.as(us[caller]);
    const { assistantProfiles } = platform.semantics;
    for (const call of [
      () => assistantProfiles.list(as, {}),
      () => assistantProfiles.get(as, { id }),
      () => assistantProfiles.create(as, { name: 'Other' }),
      () => assistantProfiles.update(as, { id, name: 'Other' }),
      () => assistantProfiles.delete(as, { id }),
    ]) {
      expect(await codeOf(call)).toBe('FORBIDDEN');
    }
  });

  it('are made, read, listed, changed and deleted', async () => {
    const made = await create({ instructions: 'Be brief' });
    expect(made).toMatchObject({
      description: '',
      instructions: 'Be brief',
      createdBy: 'ou_author',
      version: 1,
    });
    const as = await platform.as(us.orgAdmin);
    const { assistantProfiles } = platform.semantics;
    const { id } = made;
    expect(id).toMatch(/^ap_/);
    expect((await assistantProfiles.get(as, { id })).assistantProfile).toEqual(made);
    expect((await assistantProfiles.list(as, {})).assistantProfiles).toEqual([made]);
    const { assistantProfile } = await assistantProfiles.update(as, {
      id,
      description: 'New',
      name: 'Analyst',
    });
    expect(assistantProfile).toMatchObject({ description: 'New', instructions: 'Be brief', version: 2 });
    const [event] = await platform.eventsOf('management.assistant_profile.updated.v1', id);
    expect(event?.data['changes']).toEqual({ description: { from: '', to: 'New' } });
    const deleted = await assistantProfiles.delete(as, { id });
    expect(deleted.deletedAssistantProfile).toEqual({ id, name: 'Analyst' });
    expect(await codeOf(() => assistantProfiles.get(as, { id }))).toBe('NOT_FOUND');
  });

  it('have names of their own in the project, are found in no other, and are not changed in another version', async () => {
    const { id } = await create();
    const { id: otherId } = await create({ name: 'Other' });
    expect(await codeOf(() => create())).toBe('CONFLICT');
    const { assistantProfiles } = platform.semantics;
    const author = await platform.as(us.orgAuthor);
    expect(await codeOf(() => assistantProfiles.update(author, { id: otherId, name: 'Analyst' }))).toBe(
      'CONFLICT',
    );
    const stranger = await platform.as(callersOf(newGround()).orgAdmin);
    expect(await codeOf(() => assistantProfiles.get(stranger, { id }))).toBe('NOT_FOUND');
    expect(await codeOf(() => assistantProfiles.delete(stranger, { id }))).toBe('NOT_FOUND');
    const stale = await platform.as(us.orgAuthor, [5]);
    expect(await codeOf(() => assistantProfiles.update(stale, { id, name: 'x' }))).toBe(
      'PRECONDITION_FAILED',
    );
    expect(await codeOf(() => assistantProfiles.delete(stale, { id }))).toBe('PRECONDITION_FAILED');
  });
});
