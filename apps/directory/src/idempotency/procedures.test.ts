import { usePlatform } from '@gatehouse/testing/platform';
import { newKey, type CallContext } from '@gatehouse/service';
import { beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { createIdempotencyProcedures } from './procedures.js';
import { IdempotencyStore } from './store.js';
import { createIdempotencySweeps } from './sweeps.js';

const { platform } = await usePlatform(startPlatform);
const { idempotency } = platform.directory;
const system = await platform.asSystem;

let request: { scope: string; key: string; requestHash: string; callerHash: string };
beforeEach(() => {
  request = { scope: `caller-${newKey()}`, key: 'key', requestHash: 'hash', callerHash: 'rights' };
});

const claim = (given = request) => idempotency.claim.mutate(given, { context: system });
async function claimFully(given = request) {
  const response = await claim(given);
  if (response.state !== 'claimed') throw new Error(`The state is ${response.state}, not claimed`);
  return response;
}
const claimed = async (given = request) => (await claimFully(given)).claimId;
/** Sets the times of all claims, as if time had passed. */
async function age(fields: { leaseUntil?: Date; expiresAt?: Date }): Promise<void> {
  await platform.database.collection('idempotency').updateMany({}, { $set: fields });
}
const past = new Date(Date.now() - 1000);

describe('an idempotency key', () => {
  it('is claimed by only one of many concurrent requests', async () => {
    const responses = await Promise.all(Array.from({ length: 10 }, () => claim()));
    const states = responses.map((response) => response.state).toSorted();
    expect(states).toEqual(['claimed', ...Array.from({ length: 9 }, () => 'running')]);
  });

  it('returns the stored response, and only to the same request', async () => {
    const { claimId, operationKey } = await claimFully();
    const body = '{"dashboard":{"secret":"only once"}}';
    expect(await idempotency.complete.mutate({ claimId, status: 201, body }, { context: system })).toEqual({
      isStored: true,
    });
    expect(await claim()).toEqual({ state: 'answered', status: 201, body, operationKey });
    expect(await claim({ ...request, callerHash: 'fewer' })).toEqual({ state: 'changed', operationKey });
    expect(await claim({ ...request, requestHash: 'other' })).toEqual({ state: 'mismatch' });
    const stored = JSON.stringify(await platform.database.collection('idempotency').find().toArray());
    expect(stored).not.toContain('only once');
    expect(
      await idempotency.complete.mutate({ claimId, status: 500, body: '' }, { context: system }),
    ).toEqual({
      isStored: false,
    });
    expect(await idempotency.release.mutate({ claimId, mayBeDone: false }, { context: system })).toEqual({
      isReleased: false,
    });
  });

  it('belongs to its scope, even when scope and key concatenate to the same text', async () => {
    await claimed({ ...request, scope: 'ab', key: 'c' });
    await claimed({ ...request, scope: 'a', key: 'bc' });
    expect(await claim({ ...request, scope: 'a', key: 'bc', requestHash: 'x' })).toEqual({
      state: 'mismatch',
    });
  });

  it('is free after its release', async () => {
    const claimId = await claimed();
    expect(await idempotency.release.mutate({ claimId, mayBeDone: false }, { context: system })).toEqual({
      isReleased: true,
    });
    expect(await idempotency.release.mutate({ claimId, mayBeDone: false }, { context: system })).toEqual({
      isReleased: false,
    });
    expect(await claimed({ ...request, requestHash: 'other' })).not.toBe(claimId);
  });

  it('passes to one other attempt after a crash, and the crashed attempt can no longer respond', async () => {
    const crashed = await claimed();
    await age({ leaseUntil: past });
    expect(await claim({ ...request, requestHash: 'other' })).toEqual({ state: 'mismatch' });
    const responses = await Promise.all(Array.from({ length: 6 }, () => claim()));
    expect(responses.filter((response) => response.state === 'claimed')).toHaveLength(1);
    expect(
      await idempotency.complete.mutate({ claimId: crashed, status: 200, body: '' }, { context: system }),
    ).toEqual({
      isStored: false,
    });
    expect(
      await idempotency.release.mutate({ claimId: crashed, mayBeDone: false }, { context: system }),
    ).toEqual({
      isReleased: false,
    });
  });

  it('gives each run of the same request the same operation key, and other requests another', async () => {
    const first = await claimFully();
    await age({ leaseUntil: past });
    const second = await claimFully();
    expect(second.operationKey).toBe(first.operationKey);
    await idempotency.release.mutate({ claimId: second.claimId, mayBeDone: true }, { context: system });
    const third = await claimFully();
    expect(third.operationKey).toBe(first.operationKey);
    await idempotency.release.mutate({ claimId: third.claimId, mayBeDone: true }, { context: system });
    const other = await claimFully({ ...request, requestHash: 'other' });
    expect(other.operationKey).not.toBe(first.operationKey);
    expect((await claimFully({ ...request, key: 'another' })).operationKey).not.toBe(first.operationKey);
    const stored = JSON.stringify(await platform.database.collection('idempotency').find().toArray());
    expect(stored).not.toContain(first.operationKey);
  });

  it('gets a new operation key after a release with nothing done, or after expiry', async () => {
    const first = await claimFully();
    await idempotency.release.mutate({ claimId: first.claimId, mayBeDone: false }, { context: system });
    const second = await claimFully();
    expect(second.operationKey).not.toBe(first.operationKey);
    await age({ expiresAt: past });
    expect((await claimFully()).operationKey).not.toBe(second.operationKey);
  });

  it('is free for another request after a release of work that may be done', async () => {
    const { claimId } = await claimFully();
    const release = () => idempotency.release.mutate({ claimId, mayBeDone: true }, { context: system });
    expect(await release()).toEqual({ isReleased: true });
    expect(await claimFully({ ...request, requestHash: 'other' })).toMatchObject({ state: 'claimed' });
    expect(await release()).toEqual({ isReleased: false });
  });

  it('is free for any request after it expires', async () => {
    const claimId = await claimed();
    await idempotency.complete.mutate({ claimId, status: 200, body: '{}' }, { context: system });
    await age({ expiresAt: past });
    expect(await claim({ ...request, requestHash: 'other' })).toMatchObject({ state: 'claimed' });
  });

  it('stores no response that is too large', async () => {
    const claimId = await claimed();
    const body = 'x'.repeat(10 * 1024 * 1024 + 1);
    expect(await idempotency.complete.mutate({ claimId, status: 200, body }, { context: system })).toEqual({
      isStored: false,
    });
    expect(await claim()).toEqual({ state: 'running' });
  });

  it('stored responses of one tenant until the disk was full', async () => {
    const holder = `o_${newKey()}`;
    const body = 'x'.repeat(9 * 1024 * 1024);
    const completed = async (by: { holder: string; tenantId?: string }) => {
      const scoped = { ...request, scope: `caller-${newKey()}` };
      const { claimId, operationKey } = await claimFully(scoped);
      const input = { claimId, status: 200, body, ...by };
      const { isStored } = await idempotency.complete.mutate(input, { context: system });
      return { isStored, scoped, operationKey };
    };
    const outcomes = [];
    for (let each = 0; each < 8; each += 1) outcomes.push(await completed({ holder, tenantId: 'acme' }));
    const stored = outcomes.filter(({ isStored }) => isStored).length;
    expect(stored).toBe(5);
    // A repeated request runs again as the same operation, and finds what the first run created.
    const last = outcomes.at(-1);
    expect(last?.isStored).toBe(false);
    expect(await claim(last?.scoped)).toMatchObject({ state: 'claimed', operationKey: last?.operationKey });
    expect((await completed({ holder, tenantId: 'globex' })).isStored).toBe(true);
    expect((await completed({ holder: `o_${newKey()}` })).isStored).toBe(true);
    await platform.database.collection('idempotency').deleteMany({});
  });

  it('counted in no quota: an organization could store any number', async () => {
    const few = new IdempotencyStore(platform.database, { records: 4, bytes: 1e6, tenantPercent: 50 });
    const directory = {
      ...platform.dependencies,
      stores: { ...platform.dependencies.stores, idempotency: few },
    };
    const procedures = createIdempotencyProcedures(directory).idempotency;
    const holder = `o_${newKey()}`;
    const context = { now: new Date() } as CallContext;
    const claimAs = (by: { holder?: string; tenantId?: string }, scope = newKey()) =>
      procedures.claim({ ...request, scope, ...by }, context);
    const acme = { holder, tenantId: 'acme' };
    expect(await claimAs(acme, 'first')).toMatchObject({ state: 'claimed' });
    await claimAs(acme, 'second');
    const refused = { code: 'RATE_LIMITED', retryAfterSeconds: 60 };
    await expect(claimAs(acme)).rejects.toMatchObject(refused);
    // A key that is repeated is no further one.
    expect(await claimAs(acme, 'first')).toEqual({ state: 'running' });
    await claimAs({ holder, tenantId: 'globex' });
    await claimAs({ holder });
    await expect(claimAs({ holder })).rejects.toMatchObject(refused);
    expect(await claimAs({ holder: `o_${newKey()}` })).toMatchObject({ state: 'claimed' });
    expect(await claimAs({})).toMatchObject({ state: 'claimed' });
    await platform.database.collection('idempotency').deleteMany({});
  });

  it('ignores unknown claim ids', async () => {
    await claimed();
    const before = await platform.snapshot();
    for (const claimId of ['', '.', 'none', 'none.none']) {
      expect(
        await idempotency.complete.mutate({ claimId, status: 200, body: '' }, { context: system }),
      ).toEqual({
        isStored: false,
      });
      expect(await idempotency.release.mutate({ claimId, mayBeDone: false }, { context: system })).toEqual({
        isReleased: false,
      });
    }
    expect(await platform.snapshot()).toEqual(before);
  });
});

describe('the sweep of idempotency claims', () => {
  it('deletes a claim once it has expired', async () => {
    const stored = platform.database.collection('idempotency');
    await stored.deleteMany({});
    await claimed();
    const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000);
    for (const [hours, count] of [
      [23.9, 1],
      [24.1, 0],
    ] as const) {
      for (const sweep of createIdempotencySweeps(platform.dependencies))
        await sweep.run(hoursFromNow(hours));
      expect(await stored.countDocuments()).toBe(count);
    }
  });
});
