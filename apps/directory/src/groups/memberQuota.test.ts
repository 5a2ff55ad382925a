import { hashSecret, newKey, newSecret } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { expect, it } from 'vitest';
import { claimsIn, startPlatform } from '../testing/platform.js';
import { populate } from '../testing/population.js';

const settings = { QUOTA_GROUP_MEMBERSHIPS: '1' };
const { platform } = await usePlatform((databases) => startPlatform(databases, settings));

it('the members of a deleted group no longer count to the quota of memberships', async () => {
  const acme = await populate(platform);
  const context = acme.asAdmin;
  const { groups } = platform.directory;
  const userIds = [acme.principals.author.userId];
  const create = async (name: string) =>
    (await groups.create.mutate({ name, type: 'ORG_GROUP' }, { context })).group.id;
  const [former, next] = [await create('Former'), await create('Next')];
  await groups.addMembers.mutate({ id: former, userIds }, { context });
  const add = () => groups.addMembers.mutate({ id: next, userIds }, { context });
  await expect(add()).rejects.toMatchObject({ cause: { code: 'QUOTA_EXCEEDED' } });
  await groups.delete.mutate({ id: former }, { context });
  expect((await add()).addedMembers).toHaveLength(1);
});

it('claims take a person out of a group before they take the room for another one', async () => {
  const acme = await populate(platform);
  const context = acme.asAdmin;
  const { groups, orgUsers, sessions } = platform.directory;
  const system = { context: await platform.asSystem };
  const create = async (name: string) =>
    (await groups.create.mutate({ name, type: 'ORG_GROUP' }, { context })).group.id;
  const [next, former, surplus] = [await create('Next'), await create('Former'), await create('Surplus')];
  const { userId } = acme.principals.author;
  await groups.addMembers.mutate({ id: former, userIds: [userId] }, { context });
  const { email } = (await orgUsers.get.query({ id: userId }, { context })).user;
  const cookieHash = hashSecret(newSecret());
  const outcome = await sessions.createFromProvider.mutate(
    {
      issuer: 'https://provider.example',
      subject: `s-${newKey()}`,
      email,
      isEmailVerified: true,
      name: null,
      matchesEmail: true,
      cookieHash,
      address: '192.0.2.7',
      userAgent: 'Browser/1',
      person: {
        organizationId: acme.organizationId,
        tenantId: null,
        role: null,
        createsUser: false,
        projectIds: null,
        groups: [
          { groupId: next, isMember: true },
          { groupId: surplus, isMember: true },
          { groupId: former, isMember: false },
        ],
      },
    },
    system,
  );
  expect(outcome).toMatchObject({ outcome: 'signedIn' });
  const { accessToken } = await sessions.issueToken.mutate({ cookieHash }, system);
  // The quota has no room for the third group, which gives nothing.
  expect(await platform.resolve(claimsIn(accessToken))).toMatchObject({ groupIds: [next] });
});
