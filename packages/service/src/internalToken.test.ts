import type { Caller } from '@gatehouse/contract';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createInternalTokenSigner,
  createInternalTokenVerifier,
  generateInternalKeys,
  joinVerifyKeys,
  verifyKeyOf,
} from './internalToken.js';
import { recordMetrics } from './observability/metrics.js';

const caller: Caller = { kind: 'system', name: 'gateway' };
const person: Caller = {
  kind: 'orgUser',
  tokenType: 'project',
  tokenId: 'jti-1',
  tokenExpiresAt: 4_000_000_000,
  organizationId: 'o_1',
  projectId: 'p_1',
  userId: 'ou_1',
  userKey: 'u:1',
  email: 'ada@example.com',
  role: 'VIEWER',
  groupIds: [],
};
afterEach(() => vi.useRealTimers());

describe('an internal token', () => {
  it('contains its caller', async () => {
    const { signingKey } = await generateInternalKeys();
    const signer = await createInternalTokenSigner(signingKey);
    const verifier = await createInternalTokenVerifier(verifyKeyOf(signingKey));
    expect(await verifier.verify(await signer.sign(caller))).toMatchObject({ caller: caller });
  });

  it('is cached for a caller for 40 seconds', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const signer = await createInternalTokenSigner((await generateInternalKeys()).signingKey);
    const first = await signer.sign(caller);
    vi.advanceTimersByTime(39_000);
    expect(await signer.sign(caller)).toBe(first);
    vi.advanceTimersByTime(2000);
    expect(await signer.sign(caller)).not.toBe(first);
  });

  it('outlasts a call of any configured length, also when it comes from the cache', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const callTimeoutMs = 600_000;
    const { signingKey, verifyKey } = await generateInternalKeys();
    const verifier = await createInternalTokenVerifier(verifyKey);
    const signer = await createInternalTokenSigner(signingKey, callTimeoutMs);
    const first = await signer.sign(caller);
    vi.advanceTimersByTime(39_000);
    expect(await signer.sign(caller)).toBe(first);
    vi.advanceTimersByTime(callTimeoutMs);
    expect(await verifier.verify(first)).toMatchObject({ caller: caller });
  });

  it('expires, also in the cache of a verifier', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { signingKey, verifyKey } = await generateInternalKeys();
    const verifier = await createInternalTokenVerifier(verifyKey);
    const token = await (await createInternalTokenSigner(signingKey)).sign(caller);
    await verifier.verify(token);
    vi.advanceTimersByTime(61_000);
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it.each([
    ['is cached by a verifier', 10, 'hit'],
    ['is not kept in memory beside dozens of others with thousands of groups', 10_000, 'miss'],
  ])('%s', async (_, groups, expected) => {
    const outcomes: (string | undefined)[] = [];
    recordMetrics({ count: (_metric, labels) => void outcomes.push(labels['outcome']), observe() {} });
    const { signingKey, verifyKey } = await generateInternalKeys();
    const signer = await createInternalTokenSigner(signingKey);
    const verifier = await createInternalTokenVerifier(verifyKey);
    const groupIds = Array.from(
      { length: groups },
      (_each, index) => `grp_${String(index).padStart(16, '0')}`,
    );
    const tokens = await Promise.all(
      Array.from({ length: 40 }, (_each, index) =>
        signer.sign({ ...person, userId: `ou_${index}`, groupIds }),
      ),
    );
    for (const token of tokens) await verifier.verify(token);
    const [first = ''] = tokens;
    await verifier.verify(tokens.at(-1) ?? '');
    expect(outcomes.at(-1)).toBe('hit');
    await verifier.verify(first);
    expect(outcomes.at(-1)).toBe(expected);
  });

  it('of a service is valid for that caller only, and only the key of the service signs it', async () => {
    const gateway = await generateInternalKeys();
    const lifecycle = await generateInternalKeys('lifecycle');
    const verifier = await createInternalTokenVerifier(
      joinVerifyKeys([gateway.verifyKey, lifecycle.verifyKey]),
    );
    const itself: Caller = { kind: 'system', name: 'lifecycle' };
    const byGateway = await createInternalTokenSigner(gateway.signingKey);
    const byLifecycle = await createInternalTokenSigner(lifecycle.signingKey);
    expect(await verifier.verify(await byLifecycle.sign(itself))).toMatchObject({ caller: itself });
    expect(await verifier.verify(await byGateway.sign(caller))).toMatchObject({ caller: caller });
    const refused = { code: 'UNAUTHENTICATED' };
    await expect(verifier.verify(await byLifecycle.sign(caller))).rejects.toMatchObject(refused);
    await expect(verifier.verify(await byGateway.sign(itself))).rejects.toMatchObject(refused);
    const renamed = JSON.stringify({ ...(JSON.parse(gateway.signingKey) as object), kid: 'lifecycle' });
    const forged = await (await createInternalTokenSigner(renamed)).sign(itself);
    await expect(verifier.verify(forged)).rejects.toMatchObject(refused);
  });

  it('is valid under both keys during a rotation, and under the new key afterwards', async () => {
    for (const owner of [undefined, 'lifecycle'] as const) {
      const former = await generateInternalKeys(owner);
      const present = await generateInternalKeys(owner);
      const itself: Caller = owner ? { kind: 'system', name: owner } : caller;
      const byFormer = await (await createInternalTokenSigner(former.signingKey)).sign(itself);
      const byPresent = await (await createInternalTokenSigner(present.signingKey)).sign(itself);
      const both = await createInternalTokenVerifier(joinVerifyKeys([present.verifyKey, former.verifyKey]));
      expect(await both.verify(byFormer)).toMatchObject({ caller: itself });
      expect(await both.verify(byPresent)).toMatchObject({ caller: itself });
      const alone = await createInternalTokenVerifier(present.verifyKey);
      expect(await alone.verify(byPresent)).toMatchObject({ caller: itself });
      await expect(alone.verify(byFormer)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    }
  });

  it('has no private key in its verify key', async () => {
    const { signingKey } = await generateInternalKeys();
    expect(JSON.parse(verifyKeyOf(signingKey))).not.toHaveProperty('d');
  });
});
