import { newKey } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { createOrganization, type TestOrganization } from '../testing/population.js';
import { createTokenSweeps } from './sweeps.js';

const { platform } = await usePlatform((databases) => startPlatform(databases, { KEY_ROTATION_HOURS: '24' }));
const { tokens } = platform.directory;

const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000);
async function sweep(now: Date): Promise<void> {
  for (const each of createTokenSweeps(platform.dependencies)) await each.run(now);
}
const countOf = (name: string) => platform.database.collection(name).countDocuments();
/** Waits for the events of a collection: a sweep deletes only documents whose events are published. */
async function untilPublished(name: string): Promise<void> {
  const pending = () => platform.database.collection(name).countDocuments({ 'outbox.0': { $exists: true } });
  await expect.poll(pending).toBe(0);
}

let acme: TestOrganization;
beforeEach(async () => {
  acme = await createOrganization(platform);
});

describe('the token sweeps', () => {
  it('delete a revocation once its token has expired, and not before', async () => {
    const principal = await platform.login({ ...acme.credentials, tokenExpiry: 3600 });
    await tokens.invalidate.mutate({}, { context: await platform.originOf(principal) });
    await untilPublished('revocations');
    await sweep(hoursFromNow(0.9));
    expect(await countOf('revocations')).toBe(1);
    await sweep(hoursFromNow(1.1));
    expect(await countOf('revocations')).toBe(0);
  });

  it('keep a revocation whose event is not yet published', async () => {
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

  it('rotate the signing key by age, and delete it once all of its tokens have expired', async () => {
    const keyIds = async () =>
      (await tokens.keys.query({}, { context: await platform.asSystem })).keys.map((key) => key.kid);
    await platform.database.collection('signingKeys').deleteMany({});
    const { kid: first } = await tokens.rotateKey.mutate({}, { context: await platform.asSystem });
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

describe('a signing key without an age limit', () => {
  it('is never rotated automatically', async () => {
    const [active] = (await tokens.keys.query({}, { context: await platform.asSystem })).keys;
    const dependencies = {
      ...platform.dependencies,
      config: { ...platform.dependencies.config, KEY_ROTATION_HOURS: 0 },
    };
    for (const each of createTokenSweeps(dependencies)) await each.run(hoursFromNow(100_000));
    expect((await tokens.keys.query({}, { context: await platform.asSystem })).keys).toEqual([active]);
  });
});
