import { usePlatform } from '@gatehouse/testing/platform';
import { expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
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
