import { newId, newSecret } from '@gatehouse/service';
import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';

const platform = await startPlatform(await startTestMongo());
const { organizations, orgUsers } = platform.directory;
const system = await platform.asSystem;
afterAll(() => platform.stop());

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
  it('makes an organization whose ADMIN can log in, and tells of it without the secret', async () => {
    const first = installation();
    expect(await organizations.bootstrap(system, first)).toEqual({ isNew: true });
    const { projectId, projectSecret, adminOrgUserId: orgUserId } = first;
    const admin = await platform.login({ projectId, projectSecret, orgUserId });
    expect(admin).toMatchObject({ kind: 'orgUser', role: 'ADMIN', organizationId: first.organizationId });
    const origin = await platform.originOf(admin);
    expect((await orgUsers.get(origin, { id: orgUserId })).user).toMatchObject({ organizationName: 'First' });
    await platform.eventsOf('management.organization.created.v1', first.organizationId);
    await platform.eventsOf('management.project.created.v1', projectId);
    await platform.eventsOf('management.org_user.created.v1', orgUserId);
    expect(JSON.stringify(platform.events)).not.toContain(projectSecret);
  });

  it('changes nothing when it is repeated, also once the ADMIN was deleted, and none beside another one', async () => {
    const first = installation();
    await organizations.bootstrap(system, first);
    const { projectId, projectSecret, adminOrgUserId: orgUserId } = first;
    const origin = await platform.originOf(await platform.login({ projectId, projectSecret, orgUserId }));
    await orgUsers.create(origin, { email: 'next@first.test', name: 'Next', role: 'ADMIN' });
    await orgUsers.delete(origin, { id: orgUserId });
    const before = await platform.snapshot();
    expect(await organizations.bootstrap(system, first)).toEqual({ isNew: false });
    expect(await organizations.bootstrap(system, installation())).toEqual({ isNew: false });
    expect(await platform.snapshot()).toEqual(before);
  });

  it.each([['organizations'], ['organizations', 'projects'], ['organizations', 'orgUsers']])(
    'is completed by a repetition when it died before %s %s',
    async (...missing) => {
      const first = installation();
      await organizations.bootstrap(system, first);
      for (const name of missing) await platform.database.collection(name).deleteMany({});
      expect(await organizations.bootstrap(system, first)).toEqual({ isNew: true });
      const { projectId, projectSecret, adminOrgUserId: orgUserId } = first;
      await platform.login({ projectId, projectSecret, orgUserId });
      for (const name of ['organizations', 'projects', 'orgUsers']) {
        expect(await platform.database.collection(name).countDocuments()).toBe(1);
      }
    },
  );

  it('makes one organization of several that are asked for at once', async () => {
    const asked = [installation(), installation(), installation()];
    const answers = await Promise.all(asked.map((each) => organizations.bootstrap(system, each)));
    expect(answers.filter((answer) => answer.isNew)).toHaveLength(1);
    for (const name of ['organizations', 'projects', 'orgUsers']) {
      expect(await platform.database.collection(name).countDocuments()).toBe(1);
    }
  });

  it('makes one organization when it runs twice at once', async () => {
    const first = installation();
    const answers = await Promise.all([1, 2, 3].map(() => organizations.bootstrap(system, first)));
    expect(answers.filter((answer) => answer.isNew)).toHaveLength(1);
    expect(await platform.database.collection('orgUsers').countDocuments()).toBe(1);
  });
});
