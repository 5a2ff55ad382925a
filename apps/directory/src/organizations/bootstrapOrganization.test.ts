import { newId, newSecret } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
const { organizations, orgUsers } = platform.directory;
const system = await platform.asSystem;

const installation = () => ({
  organizationId: newId('organization'),
  organizationName: 'First',
  projectId: newId('project'),
  projectName: 'Main',
  projectSecret: newSecret(),
  adminOrgUserId: newId('orgUser'),
  adminEmail: 'admin@first.test',
  adminName: 'Administrator',
});

beforeEach(async () => {
  for (const name of ['bootstrap', 'organizations', 'projects', 'orgUsers'])
    await platform.database.collection(name).deleteMany({});
});

describe('the bootstrap', () => {
  it('creates an organization whose ADMIN can log in, and publishes events without the secret', async () => {
    const first = installation();
    expect(await organizations.bootstrap.mutate(first, { context: system })).toEqual({ isNew: true });
    const { projectId, projectSecret, adminOrgUserId: orgUserId } = first;
    const admin = await platform.login({ projectId, projectSecret, orgUserId });
    expect(admin).toMatchObject({ kind: 'orgUser', role: 'ADMIN', organizationId: first.organizationId });
    const origin = await platform.originOf(admin);
    expect((await orgUsers.get.query({ id: orgUserId }, { context: origin })).user).toMatchObject({
      organizationName: 'First',
    });
    await platform.eventsOf('management.organization.created.v1', first.organizationId);
    await platform.eventsOf('management.project.created.v1', projectId);
    await platform.eventsOf('management.org_user.created.v1', orgUserId);
    expect(JSON.stringify(platform.events)).not.toContain(projectSecret);
  });

  it('creates no second organization on a retry, even after the ADMIN was deleted', async () => {
    const first = installation();
    await organizations.bootstrap.mutate(first, { context: system });
    const { projectId, projectSecret, adminOrgUserId: orgUserId } = first;
    const origin = await platform.originOf(await platform.login({ projectId, projectSecret, orgUserId }));
    await orgUsers.create.mutate(
      { email: 'next@first.test', name: 'Next', role: 'ADMIN' },
      { context: origin },
    );
    await orgUsers.delete.mutate({ id: orgUserId }, { context: origin });
    const before = await platform.snapshot();
    expect(await organizations.bootstrap.mutate(first, { context: system })).toEqual({ isNew: false });
    expect(await organizations.bootstrap.mutate(installation(), { context: system })).toEqual({
      isNew: false,
    });
    expect(await platform.snapshot()).toEqual(before);
  });

  it.each([['organizations'], ['organizations', 'projects'], ['organizations', 'orgUsers']])(
    'is completed by a retry after a crash before %s %s',
    async (...missing) => {
      const first = installation();
      await organizations.bootstrap.mutate(first, { context: system });
      for (const name of missing) await platform.database.collection(name).deleteMany({});
      expect(await organizations.bootstrap.mutate(first, { context: system })).toEqual({ isNew: true });
      const { projectId, projectSecret, adminOrgUserId: orgUserId } = first;
      await platform.login({ projectId, projectSecret, orgUserId });
      for (const name of ['organizations', 'projects', 'orgUsers']) {
        expect(await platform.database.collection(name).countDocuments()).toBe(1);
      }
    },
  );

  it('creates one organization when several are requested at once', async () => {
    const requested = [installation(), installation(), installation()];
    const responses = await Promise.all(
      requested.map((each) => organizations.bootstrap.mutate(each, { context: system })),
    );
    expect(responses.filter((response) => response.isNew)).toHaveLength(1);
    for (const name of ['organizations', 'projects', 'orgUsers']) {
      expect(await platform.database.collection(name).countDocuments()).toBe(1);
    }
  });

  it('creates one organization when the same request runs several times at once', async () => {
    const first = installation();
    const responses = await Promise.all(
      [1, 2, 3].map(() => organizations.bootstrap.mutate(first, { context: system })),
    );
    expect(responses.filter((response) => response.isNew)).toHaveLength(1);
    expect(await platform.database.collection('orgUsers').countDocuments()).toBe(1);
  });
});
