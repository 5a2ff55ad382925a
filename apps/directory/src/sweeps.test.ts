import { newKey } from '@gatehouse/service';
import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createSweeps } from './sweeps.js';
import { startPlatform } from './testing/platform.js';
import { createOrganization, type TestOrganization } from './testing/population.js';

const platform = await startPlatform(await startTestMongo(), { KEY_ROTATION_HOURS: '24' });
const { tokens, idempotency } = platform.directory;
afterAll(() => platform.stop());

const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000);
async function sweep(now: Date): Promise<void> {
  for (const each of createSweeps(platform.inner)) await each.run(now);
}
const countOf = (name: string) => platform.database.collection(name).countDocuments();
/** The events of what is to be swept have to be published first. */
async function untilPublished(name: string): Promise<void> {
  const pending = () => platform.database.collection(name).countDocuments({ 'outbox.0': { $exists: true } });
  await expect.poll(pending, { timeout: 5000 }).toBe(0);
}

let acme: TestOrganization;
beforeEach(async () => {
  acme = await createOrganization(platform);
});

describe('sweeping', () => {
  it('removes a revocation once its token has ended, and not before', async () => {
    const principal = await platform.login({ ...acme.credentials, tokenExpiry: 3600 });
    await tokens.invalidate(await platform.originOf(principal), {});
    await untilPublished('revocations');
    await sweep(hoursFromNow(0.9));
    expect(await countOf('revocations')).toBe(1);
    await sweep(hoursFromNow(1.1));
    expect(await countOf('revocations')).toBe(0);
  });

  it('keeps a revocation whose event is not yet published', async () => {
    const token = { tokenId: newKey(), expiresAt: hoursFromNow(-1) };
    const revocations = platform.database.collection<{ _id: string }>('revocations');
    const { organizationId } = acme;
    const unsent = { organizationId, revision: 1, outbox: [{ id: 'never published' }] };
    await revocations.insertOne({ _id: token.tokenId, expiresAt: token.expiresAt, ...unsent } as {
      _id: string;
    });
    await sweep(new Date());
    expect(await revocations.findOne({ _id: token.tokenId })).not.toBeNull();
    await revocations.deleteMany({});
  });

  it('removes expired idempotency keys', async () => {
    await idempotency.claim(await platform.asSystem, { scope: 's', key: 'k', requestHash: 'h' });
    await sweep(hoursFromNow(23.9));
    expect(await countOf('idempotency')).toBe(1);
    await sweep(hoursFromNow(24.1));
    expect(await countOf('idempotency')).toBe(0);
  });

  it('rotates the signing key by age, and removes it when no token of it can be alive', async () => {
    const keyIds = async () => (await tokens.keys(await platform.asSystem, {})).keys.map((key) => key.kid);
    await platform.database.collection('signingKeys').deleteMany({});
    const { kid: first } = await tokens.rotateKey(await platform.asSystem, {});
    await sweep(hoursFromNow(23.9));
    expect(await keyIds()).toEqual([first]);
    await sweep(hoursFromNow(24.1));
    const [second = '', ...older] = await keyIds();
    expect(older).toEqual([first]);
    expect(second).not.toBe(first);
    await untilPublished('signingKeys');
    await sweep(hoursFromNow(24.1 + 23.8));
    expect(await keyIds()).toEqual([second, first]);
    await sweep(hoursFromNow(24.1 + 25.1));
    expect(await keyIds()).not.toContain(first);
  });
});

describe('the signing key without an age limit', () => {
  it('is never rotated by itself', async () => {
    const [active] = (await tokens.keys(await platform.asSystem, {})).keys;
    const inner = { ...platform.inner, config: { ...platform.inner.config, KEY_ROTATION_HOURS: 0 } };
    for (const each of createSweeps(inner)) await each.run(hoursFromNow(100_000));
    expect((await tokens.keys(await platform.asSystem, {})).keys).toEqual([active]);
  });
});
