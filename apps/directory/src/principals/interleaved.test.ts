import { newKey } from '@gatehouse/service';
import { findAnomalies } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import { expect, it } from 'vitest';
import { claimsIn, startPlatform } from '../testing/platform.js';
import { createOrganization, type TestOrganization } from '../testing/population.js';

const { platform } = await usePlatform(startPlatform);
const { orgUsers, groups } = platform.directory;

interface World extends TestOrganization {
  userId: string;
  group: string;
  token: string;
}

async function createWorld(): Promise<World> {
  const organization = await createOrganization(platform);
  const by = { context: organization.asAdmin };
  const user = { email: `${newKey().toLowerCase()}@acme.test`, name: 'Uma', role: 'VIEWER' as const };
  const { id: userId } = (await orgUsers.create.mutate(user, by)).user;
  const { id: group } = (await groups.create.mutate({ name: 'Team', type: 'ORG_GROUP' }, by)).group;
  await groups.addMembers.mutate({ id: group, userIds: [userId] }, by);
  const request = { ...organization.credentials, orgUserId: userId };
  const { accessToken } = await platform.directory.tokens.issue.mutate(request, {
    context: await platform.asSystem,
  });
  return { ...organization, userId, group, token: accessToken };
}

it('the principal of a user who leaves a group and then gets a higher role never has both', async () => {
  const found = await findAnomalies({
    createWorld,
    outer: async ({ token }: World) => platform.resolve(claimsIn(token)),
    async inner({ asAdmin, group: id, userId }) {
      await groups.removeMember.mutate({ id, memberId: userId }, { context: asAdmin });
      await orgUsers.update.mutate({ id: userId, role: 'AUTHOR' }, { context: asAdmin });
      return 'done';
    },
    stateOf: () => Promise.resolve(null),
    textOf: (value) =>
      JSON.stringify(value, (key, each: unknown) => {
        if (value === null || typeof value !== 'object') return each;
        if (key === 'groupIds') return (each as string[]).length;
        return key === '' || key === 'role' ? each : undefined;
      }),
  });
  expect(found.runs).toBeGreaterThan(0);
  // Between the two changes.
  const between = JSON.stringify({ role: 'VIEWER', groupIds: 0 });
  const anomalies = found.anomalies.filter(({ outer }) => outer !== between);
  expect(anomalies).toEqual([]);
});
