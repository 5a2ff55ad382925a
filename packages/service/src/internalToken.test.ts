import type { Caller } from '@gatehouse/contract';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createInternalTokenSigner,
  createInternalTokenVerifier,
  generateInternalKeys,
  joinVerifyKeys,
  verifyKeyOf,
} from './internalToken.js';

const caller: Caller = { kind: 'system', name: 'gateway' };
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
