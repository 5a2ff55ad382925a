import { startTestMongo } from '@gatehouse/testing';
import { newKey } from '@gatehouse/service';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';

const platform = await startPlatform(await startTestMongo());
const { idempotency } = platform.directory;
const system = await platform.asSystem;
afterAll(() => platform.stop());

let request: { scope: string; key: string; requestHash: string };
beforeEach(() => {
  request = { scope: `caller-${newKey()}`, key: 'key', requestHash: 'hash' };
});

const claim = (given = request) => idempotency.claim(system, given);
async function claimWhole(given = request) {
  const answer = await claim(given);
  if (answer.state !== 'claimed') throw new Error(`Not claimed but ${answer.state}`);
  return answer;
}
const claimed = async (given = request) => (await claimWhole(given)).claimId;
/** As if some time had passed for the claim. */
async function age(fields: { leaseUntil?: Date; expiresAt?: Date }): Promise<void> {
  await platform.database.collection('idempotency').updateMany({}, { $set: fields });
}
const past = new Date(Date.now() - 1000);

describe('an idempotency key', () => {
  it('is claimed by one of many requests at once', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => claim()));
    const states = answers.map((answer) => answer.state).toSorted();
    expect(states).toEqual(['claimed', ...Array.from({ length: 9 }, () => 'running')]);
  });

  it('answers the first answer again, and only to the same request', async () => {
    const claimId = await claimed();
    const body = '{"dashboard":{"secret":"only once"}}';
    expect(await idempotency.complete(system, { claimId, status: 201, body })).toEqual({ isStored: true });
    expect(await claim()).toEqual({ state: 'answered', status: 201, body });
    expect(await claim({ ...request, requestHash: 'other' })).toEqual({ state: 'mismatch' });
    const stored = JSON.stringify(await platform.database.collection('idempotency').find().toArray());
    expect(stored).not.toContain('only once');
    expect(await idempotency.complete(system, { claimId, status: 500, body: '' })).toEqual({
      isStored: false,
    });
    expect(await idempotency.release(system, { claimId, mayBeDone: false })).toEqual({ isReleased: false });
  });

  it('belongs to its scope, however scope and key are cut', async () => {
    await claimed({ ...request, scope: 'ab', key: 'c' });
    await claimed({ ...request, scope: 'a', key: 'bc' });
    expect(await claim({ ...request, scope: 'a', key: 'bc', requestHash: 'x' })).toEqual({
      state: 'mismatch',
    });
  });

  it('is free again once it was released', async () => {
    const claimId = await claimed();
    expect(await idempotency.release(system, { claimId, mayBeDone: false })).toEqual({ isReleased: true });
    expect(await idempotency.release(system, { claimId, mayBeDone: false })).toEqual({ isReleased: false });
    expect(await claimed({ ...request, requestHash: 'other' })).not.toBe(claimId);
  });

  it('passes to one other when whoever claimed it died, and the dead one can no longer answer', async () => {
    const dead = await claimed();
    await age({ leaseUntil: past });
    expect(await claim({ ...request, requestHash: 'other' })).toEqual({ state: 'mismatch' });
    const answers = await Promise.all(Array.from({ length: 6 }, () => claim()));
    expect(answers.filter((answer) => answer.state === 'claimed')).toHaveLength(1);
    expect(await idempotency.complete(system, { claimId: dead, status: 200, body: '' })).toEqual({
      isStored: false,
    });
    expect(await idempotency.release(system, { claimId: dead, mayBeDone: false })).toEqual({
      isReleased: false,
    });
  });

  it('gives each run of the same request the same operation key, and nobody else', async () => {
    const first = await claimWhole();
    await age({ leaseUntil: past });
    const second = await claimWhole();
    expect(second.operationKey).toBe(first.operationKey);
    await idempotency.release(system, { claimId: second.claimId, mayBeDone: true });
    const third = await claimWhole();
    expect(third.operationKey).toBe(first.operationKey);
    await idempotency.release(system, { claimId: third.claimId, mayBeDone: true });
    const other = await claimWhole({ ...request, requestHash: 'other' });
    expect(other.operationKey).not.toBe(first.operationKey);
    expect((await claimWhole({ ...request, key: 'another' })).operationKey).not.toBe(first.operationKey);
    const stored = JSON.stringify(await platform.database.collection('idempotency').find().toArray());
    expect(stored).not.toContain(first.operationKey);
  });

  it('that was given up with nothing done, or has expired, starts with a new operation key', async () => {
    const first = await claimWhole();
    await idempotency.release(system, { claimId: first.claimId, mayBeDone: false });
    const second = await claimWhole();
    expect(second.operationKey).not.toBe(first.operationKey);
    await age({ expiresAt: past });
    expect((await claimWhole()).operationKey).not.toBe(second.operationKey);
  });

  it('that was given up although it may be done is free for another request', async () => {
    const { claimId } = await claimWhole();
    const release = () => idempotency.release(system, { claimId, mayBeDone: true });
    expect(await release()).toEqual({ isReleased: true });
    expect(await claimWhole({ ...request, requestHash: 'other' })).toMatchObject({ state: 'claimed' });
    expect(await release()).toEqual({ isReleased: false });
  });

  it('is forgotten after its time, also for another request', async () => {
    const claimId = await claimed();
    await idempotency.complete(system, { claimId, status: 200, body: '{}' });
    await age({ expiresAt: past });
    expect(await claim({ ...request, requestHash: 'other' })).toMatchObject({ state: 'claimed' });
  });

  it('of an answer that is too large to keep is not stored', async () => {
    const claimId = await claimed();
    const body = 'x'.repeat(10 * 1024 * 1024 + 1);
    expect(await idempotency.complete(system, { claimId, status: 200, body })).toEqual({ isStored: false });
    expect(await claim()).toEqual({ state: 'running' });
  });

  it('is nobody else’s: a made-up claim changes nothing', async () => {
    await claimed();
    const before = await platform.snapshot();
    for (const claimId of ['', '.', 'none', 'none.none']) {
      expect(await idempotency.complete(system, { claimId, status: 200, body: '' })).toEqual({
        isStored: false,
      });
      expect(await idempotency.release(system, { claimId, mayBeDone: false })).toEqual({ isReleased: false });
    }
    expect(await platform.snapshot()).toEqual(before);
  });
});
