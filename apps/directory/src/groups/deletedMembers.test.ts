import { newKey } from '@gatehouse/service';
import { findAnomalies } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import { expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { createOrganization, type TestOrganization } from '../testing/population.js';

const { platform } = await usePlatform(startPlatform);
const { tenants, tenantUsers, groups } = platform.directory;

interface World extends TestOrganization {
  group: string;
}

async function createWorld(): Promise<World> {
  const organization = await createOrganization(platform);
  const by = { context: organization.asAdmin };
  await tenants.create.mutate({ id: 'north', name: 'North' }, by);
  await tenantUsers.create.mutate({ id: 'uma', tenantId: 'north', email: 'uma@acme.test', name: 'Uma' }, by);
  const name = `Team ${newKey()}`;
  return {
    ...organization,
    group: (await groups.create.mutate({ name, type: 'ORG_GROUP' }, by)).group.id,
  };
}

it('a member that was deleted while it was added had no name in the response', async () => {
  const found = await findAnomalies({
    createWorld,
    outer: async ({ asAdmin, group: id }: World) =>
      (await groups.addMembers.mutate({ id, userIds: ['uma'] }, { context: asAdmin })).addedMembers.map(
        ({ userId, name, email }) => ({ userId, name, email }),
      ),
    inner: ({ asAdmin }) => tenantUsers.delete.mutate({ id: 'uma' }, { context: asAdmin }),
    // The events of a deletion remove the member later.
    stateOf: () => Promise.resolve(null),
    textOf: (value) => JSON.stringify(value, (key, each: unknown) => (key.endsWith('At') ? undefined : each)),
  });
  expect(found.runs).toBeGreaterThan(0);
  expect(found).toEqual({ ...found, anomalies: [] });
});
