import { newKey } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeAll, describe, expect, it } from 'vitest';
import { startPlatform } from '../../testing/platform.js';
import { foldPerson } from '../logic/foldedFields.js';

const { platform } = await usePlatform(startPlatform);

const organizationId = 'o_1';
const written = { events: [], now: new Date() };
const LIVE = { nameFolded: { $gte: '' } };

beforeAll(async () => {
  const { tenantUsers, groups, groupMembers } = platform.dependencies.stores;
  for (let index = 0; index < 60; index += 1) {
    const person = foldPerson({ name: `User ${index}`, email: `user${index}@acme.test` });
    const settings = {
      role: 'VIEWER' as const,
      department: '',
      isActive: true,
      tenantKey: `t:${index % 3}`,
      tenantId: `t_${index % 3}`,
    };
    await tenantUsers.insert(
      organizationId,
      { _id: `u:${index}`, id: `tu_${index}`, ...person, ...settings },
      written,
    );
    const scope = {
      type: 'ORG_GROUP' as const,
      description: '',
      tenantKey: null,
      tenantId: null,
      createdBy: null,
    };
    const draft = {
      _id: `grp_${index}`,
      name: `G${index}`,
      nameFolded: `g${index}`,
      ...scope,
      memberCount: 0,
      members: [],
    };
    const group = await groups.insert(organizationId, draft, written);
    const membership = { userId: `tu_${index}`, userKey: `u:${index}`, userType: 'tenant' as const };
    const members = [{ id: newKey(), ...membership, addedAt: new Date(), addedBy: null }];
    await groupMembers.add(organizationId, group, { members, ...written });
  }
});

interface Explained {
  executionStats: { totalDocsExamined: number; totalKeysExamined: number; nReturned: number };
  queryPlanner: { winningPlan: object };
}
async function explain(collection: string, filter: object, options: object = {}): Promise<Explained> {
  const found = platform.database.collection(collection).find(filter, options);
  return (await found.explain('executionStats')) as unknown as Explained;
}

describe('the indexes', () => {
  it('find the groups of a user without reading the group documents, which may be long', async () => {
    const filter = { organizationId, 'members.userKey': 'u:7' };
    const { executionStats } = await explain('groups', filter, { projection: { _id: 1 }, sort: { _id: 1 } });
    expect(executionStats).toMatchObject({ nReturned: 1, totalDocsExamined: 0, totalKeysExamined: 1 });
  });

  it('find a user by id or e-mail and read one document', async () => {
    const byId = await explain('tenantUsers', { organizationId, ...LIVE, id: 'tu_7' });
    const email = { tenantKey: 't:1', emailFolded: 'user7@acme.test' };
    const byEmail = await explain('tenantUsers', { organizationId, ...LIVE, ...email });
    for (const { executionStats } of [byId, byEmail]) {
      expect(executionStats).toMatchObject({ nReturned: 1, totalDocsExamined: 1 });
    }
  });

  it('return a page by name, or by id after another id, without a sort stage', async () => {
    const sorted = { sort: { nameFolded: 1, _id: 1 }, limit: 5 };
    const plans = [
      await explain('tenantUsers', { organizationId, ...LIVE }, sorted),
      await explain('tenantUsers', { organizationId, ...LIVE, tenantKey: 't:1' }, sorted),
      await explain('tenantUsers', { organizationId, ...LIVE, tenantId: 't_1' }, sorted),
      await explain(
        'tenantUsers',
        { organizationId, ...LIVE, isActive: true, id: { $gt: 'tu_20' }, tenantKey: { $in: ['t:0', 't:2'] } },
        { sort: { id: 1 }, limit: 5 },
      ),
      await explain(
        'tenantUsers',
        { organizationId, ...LIVE, isActive: true, id: { $gt: 'tu_20' } },
        { sort: { id: 1 }, limit: 5 },
      ),
      await explain('groups', { organizationId, ...LIVE }, { sort: { memberCount: -1, _id: -1 }, limit: 5 }),
      await explain('groups', { organizationId, ...LIVE }, { sort: { createdAt: 1, _id: 1 }, limit: 5 }),
    ];
    for (const plan of plans) {
      expect(JSON.stringify(plan.queryPlanner.winningPlan)).not.toContain('"SORT"');
      // Of 60 documents. A plan that merges several tenants reads ahead a little in each.
      expect(plan.executionStats.totalDocsExamined).toBeLessThanOrEqual(10);
    }
  });
});
