import type { Principal } from '@gatehouse/contract';
import { type Callers, callersOf, newGround } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { startPlatform, type TestPlatform } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
let us: Callers;
beforeEach(() => {
  us = callersOf(newGround());
});

const CALLERS = Object.keys(callersOf(newGround())) as (keyof Callers)[];
const deniedCallers = CALLERS.filter((caller) => !['orgAdmin', 'orgAuthor'].includes(caller));
const codeOf = async (call: () => Promise<unknown>) => (await platform.rejectionOf(call)).code;
const faultsOf = async (call: () => Promise<unknown>) =>
  (await platform.rejectionOf(call)).fieldErrors?.map(({ field }) => field);

async function createConnection(name = 'Warehouse', by: Principal = us.orgAdmin) {
  const fields = { name, type: 'static' as const, config: { dialect: 'mysql' as const } };
  return (await platform.semantics.connections.create.mutate(fields, { context: await platform.as(by) }))
    .connection.id;
}

describe('data models', () => {
  type Fields = Omit<
    Parameters<TestPlatform['semantics']['datamodels']['create']['mutate']>[0],
    'connectionId'
  >;
  const create = async (
    fields: Partial<Fields> & { connectionId?: string } = {},
    by: Principal = us.orgAuthor,
  ) => {
    const { connectionId = await createConnection(), ...others } = fields;
    const input = { name: 'Model', connectionId, ...others };
    return (await platform.semantics.datamodels.create.mutate(input, { context: await platform.as(by) }))
      .datamodel;
  };
  const update = async (id: string, fields: object) =>
    (
      await platform.semantics.datamodels.update.mutate(
        { id, ...fields },
        { context: await platform.as(us.orgAuthor) },
      )
    ).datamodel;

  it.each(deniedCallers)('deny %s', async (caller) => {
    const { id, connectionId } = await create();
    const as = await platform.as(us[caller]);
    const { datamodels } = platform.semantics;
    for (const call of [
      () => datamodels.list.query({}, { context: as }),
      () => datamodels.get.query({ id }, { context: as }),
      () => datamodels.create.mutate({ name: 'Other', connectionId }, { context: as }),
      () => datamodels.update.mutate({ id, name: 'Other' }, { context: as }),
      () => datamodels.delete.mutate({ id }, { context: as }),
    ]) {
      expect(await codeOf(call)).toBe('FORBIDDEN');
    }
  });

  it('are created, read, listed without their templates, updated and deleted', async () => {
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
    expect((await datamodels.get.query({ id }, { context: as })).datamodel).toEqual(made);
    expect((await datamodels.list.query({}, { context: as })).datamodels).toEqual([summary]);
    const changed = await update(id, { name: 'Renamed', template: {} });
    expect(changed).toMatchObject({ name: 'Renamed', version: 2, template: { datasets: [] } });
    expect(await update(id, { name: 'Renamed', template: {} })).toEqual(changed);
    const [event] = await platform.eventsOf('management.datamodel.updated.v1', id);
    expect(event?.data['changes']).toEqual({
      name: { from: 'Model', to: 'Renamed' },
      template: { from: null, to: null },
    });
    expect((await datamodels.delete.mutate({ id }, { context: as })).deletedDatamodel).toEqual({
      id,
      name: 'Renamed',
    });
    expect(await codeOf(() => datamodels.get.query({ id }, { context: as }))).toBe('NOT_FOUND');
    await platform.eventsOf('management.datamodel.deleted.v1', id);
  });

  it('have unique names in the project, and are not found from another project', async () => {
    const { id, connectionId } = await create();
    expect(await codeOf(() => create({ connectionId }))).toBe('CONFLICT');
    const { id: otherId } = await create({ name: 'Other', connectionId });
    expect(await codeOf(() => update(otherId, { name: 'Model' }))).toBe('CONFLICT');
    const stranger = await platform.as(callersOf(newGround()).orgAdmin);
    const { datamodels } = platform.semantics;
    expect(await codeOf(() => datamodels.get.query({ id }, { context: stranger }))).toBe('NOT_FOUND');
    expect(await codeOf(() => datamodels.update.mutate({ id, name: 'Mine' }, { context: stranger }))).toBe(
      'NOT_FOUND',
    );
    expect(await codeOf(() => datamodels.delete.mutate({ id }, { context: stranger }))).toBe('NOT_FOUND');
  });

  it('require a connection of their project, and reject other connections in the template', async () => {
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

  it('reject a write with another expected version', async () => {
    const { id } = await create();
    const stale = await platform.as(us.orgAuthor, [5]);
    const { datamodels } = platform.semantics;
    expect(await codeOf(() => datamodels.update.mutate({ id, name: 'x' }, { context: stale }))).toBe(
      'PRECONDITION_FAILED',
    );
    expect(await codeOf(() => datamodels.delete.mutate({ id }, { context: stale }))).toBe(
      'PRECONDITION_FAILED',
    );
  });

  it('never outlive a connection that is deleted concurrently', async () => {
    const admin = await platform.as(us.orgAdmin);
    const { connections, datamodels } = platform.semantics;
    for (let round = 0; round < 20; round += 1) {
      const connectionId = await createConnection(`Warehouse ${round}`);
      const [made, deleted] = await Promise.allSettled([
        create({ name: `Model ${round}`, connectionId }),
        connections.delete.mutate({ id: connectionId }, { context: admin }),
      ]);
      expect([made.status, deleted.status].toSorted()).toEqual(['fulfilled', 'rejected']);
      const models = (await datamodels.list.query({}, { context: admin })).datamodels.filter(
        ({ name }) => name === `Model ${round}`,
      );
      expect(models).toHaveLength(made.status === 'fulfilled' ? 1 : 0);
    }
  });
});
