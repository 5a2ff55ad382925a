import type { PersonPrincipal } from '@gatehouse/contract';
import { createLog, currentDryRun } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { expect, it } from 'vitest';
import { createResourceKinds } from '../resources/kind.js';
import { createFixture } from '../testing/directoryStub.js';
import { LATER, shareWith, startPlatform } from '../testing/platform.js';
import { batchShares } from './batchShares.js';
import type { TargetLookup } from './resolveTargets.js';

const { platform } = await usePlatform(startPlatform);

/** The targets among these people; a last one that vanishes between the check of a batch and its writes. */
function targetsOf(people: PersonPrincipal[], vanishing: string, meanwhile: () => Promise<unknown>) {
  const findTargets: TargetLookup['findTargets'] = async (_, names) => {
    const isVanished = currentDryRun() === null && names.some(({ id }) => id === vanishing);
    if (isVanished) await meanwhile();
    return {
      find({ id }) {
        const found = isVanished ? undefined : people.find(({ userId }) => userId === id);
        const tenantKey = found !== undefined && 'tenantKey' in found ? found.tenantKey : null;
        return found && { id, key: found.userKey, name: id, tenantKey };
      },
    };
  };
  return { findTargets };
}

it('an undone batch removes a share that had expired before it', async () => {
  const us = createFixture(platform.directory);
  const { id } = await platform.createDashboard(us.ada);
  await platform.share(us.ada, id, { ...shareWith(us.nora, 'VIEWER'), expiresAt: LATER });
  const afterwards = new Date(Date.parse(LATER) + 1);
  const targets = targetsOf([us.nora, us.nils], us.nils.userId, () => Promise.resolve());
  const kind = createResourceKinds(platform.stores).dashboards;
  const operations = [us.nora, us.nils].map((to) => ({ op: 'create' as const, ...shareWith(to, 'EDITOR') }));
  const call = { caller: us.ada, principal: us.ada, token: '', requestId: 'r', now: afterwards };
  const context = { ...call, log: createLog('access', platform.config) };
  const batch = batchShares({ kind, targets }, { id, mode: 'atomic', operations }, context);
  await expect(batch).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  expect((await platform.stores.dashboards.getHeader(us.projectId, id)).shares).toEqual([]);
});

it.each([
  ['without a share', false],
  ['with one', true],
])('an undone batch keeps what another caller granted meanwhile, to a target %s', async (_, hasShare) => {
  const us = createFixture(platform.directory);
  const { id } = await platform.createDashboard(us.ada);
  if (hasShare) await platform.share(us.ada, id, shareWith(us.nora, 'VIEWER'));
  const later = { ...shareWith(us.nora, 'EDITOR'), expiresAt: LATER };
  const meanwhile = () => platform.share(us.ada, id, later);
  // As another process of the service.
  const kind = createResourceKinds(platform.stores).dashboards;
  const targets = targetsOf([us.nora, us.nils], us.nils.userId, meanwhile);
  const operations = [us.nora, us.nils].map((to) => ({
    op: 'create' as const,
    ...shareWith(to, 'EDITOR'),
  }));
  const call = { caller: us.ada, principal: us.ada, token: '', requestId: 'r', now: new Date() };
  const context = { ...call, log: createLog('access', platform.config) };
  const batch = batchShares({ kind, targets }, { id, mode: 'atomic', operations }, context);
  await expect(batch).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  const { shares } = await platform.stores.dashboards.getHeader(us.projectId, id);
  expect(shares).toMatchObject([{ targetId: us.nora.userId, role: 'EDITOR', expiresAt: new Date(LATER) }]);
});
