import type { Caller } from '@gatehouse/contract';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  createInternalTokenSigner,
  createInternalTokenVerifier,
  generateInternalKeys,
  verifyKeyOf,
} from './internalToken.js';

const caller: Caller = { kind: 'system', name: 'gateway' };
afterEach(() => vi.useRealTimers());

describe('an internal token', () => {
  it('gives its caller back', async () => {
    const { signingKey } = await generateInternalKeys();
    const signer = await createInternalTokenSigner(signingKey);
    const verifier = await createInternalTokenVerifier(verifyKeyOf(signingKey));
    expect(await verifier.verify(await signer.sign(caller))).toEqual(caller);
  });

  it('is made once for a caller until shortly before it ends', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const signer = await createInternalTokenSigner((await generateInternalKeys()).signingKey);
    const first = await signer.sign(caller);
    vi.advanceTimersByTime(39_000);
    expect(await signer.sign(caller)).toBe(first);
    vi.advanceTimersByTime(2000);
    expect(await signer.sign(caller)).not.toBe(first);
  });

  it('ends, also for a verifier that remembers it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { signingKey, verifyKey } = await generateInternalKeys();
    const verifier = await createInternalTokenVerifier(verifyKey);
    const token = await (await createInternalTokenSigner(signingKey)).sign(caller);
    await verifier.verify(token);
    vi.advanceTimersByTime(61_000);
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('does not hold its private key in the verify key', async () => {
    const { signingKey } = await generateInternalKeys();
    expect(JSON.parse(verifyKeyOf(signingKey))).not.toHaveProperty('d');
  });
});
