import { newKey, findAppError } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { claimsIn, startPlatform, type TokenInput } from '../testing/platform.js';
import { populate, type Population } from '../testing/population.js';

const { platform } = await usePlatform(startPlatform);
const { tokens } = platform.directory;

let acme: Population;
beforeEach(async () => {
  acme = await populate(platform);
});

const create = async (request: TokenInput) =>
  tokens.createSignInCode.mutate({ ...acme.credentials, ...request }, { context: await platform.asSystem });
const exchange = async (signInCode: string) =>
  tokens.issue.mutate({ signInCode }, { context: await platform.asSystem });
const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => findAppError(error)?.code,
  );

describe('a sign-in code', () => {
  it('is exchanged for the token that its request describes', async () => {
    const { userId } = acme.principals.author;
    const before = Date.now();
    const { signInCode, expiresAt } = await create({
      orgUserId: userId,
      tokenExpiry: 3600,
      securityParams: { region: 'x' },
    });
    const minutes = (Date.parse(expiresAt) - before) / 60_000;
    expect(minutes).toBeGreaterThanOrEqual(10);
    const claims = claimsIn((await exchange(signInCode)).accessToken);
    expect(claims).toMatchObject({ type: 'project', orgUserId: userId, securityParams: { region: 'x' } });
    expect(claims.exp - claims.iat).toBe(3600);
    expect(await platform.resolve(claims)).toMatchObject({ kind: 'orgUser', userId });
  });

  it('works once, also for requests at the same time', async () => {
    const { signInCode } = await create({ orgUserId: acme.principals.author.userId });
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => outcomeOf(exchange(signInCode))));
    expect(outcomes.filter((outcome) => outcome === 'done')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'UNAUTHENTICATED')).toHaveLength(7);
  });

  it('ends after ten minutes, and is then deleted', async () => {
    const { signInCode } = await create({ orgUserId: acme.principals.author.userId });
    const codes = platform.database.collection('signInCodes');
    await codes.updateMany({}, { $set: { expiresAt: new Date() } });
    expect(await outcomeOf(exchange(signInCode))).toBe('UNAUTHENTICATED');
    await expect.poll(() => codes.countDocuments({ outbox: { $ne: [] } }), { timeout: 60_000 }).toBe(0);
    await platform.dependencies.stores.signInCodes.deleteEnded(new Date());
    expect(await codes.countDocuments()).toBe(0);
  });

  it('is stored as a hash, and what its token claims is sealed', async () => {
    const secretValue = newKey();
    const { signInCode } = await create({
      orgUserId: acme.principals.author.userId,
      securityParams: { 'key@secret': secretValue },
    });
    const stored = JSON.stringify(await platform.database.collection('signInCodes').find().toArray());
    expect([signInCode, secretValue].filter((text) => stored.includes(text))).toEqual([]);
  });

  it('signs no user in who was deactivated since', async () => {
    const { userId } = acme.principals.author;
    const { signInCode } = await create({ orgUserId: userId });
    await platform.directory.orgUsers.update.mutate(
      { id: userId, isActive: false },
      { context: acme.asAdmin },
    );
    const { accessToken } = await exchange(signInCode);
    expect(await platform.resolve(claimsIn(accessToken))).toBeNull();
  });

  it.each<[string, TokenInput]>([
    ['no user', {}],
    ['a scope', { scope: 'sql:compile' }],
    ['a wrong secret', { projectSecret: 'wrong', orgUserId: 'ou_1' }],
    ['an unknown user', { orgUserId: 'ou_none' }],
  ])('is not created for %s', async (_what, request) => {
    const codes = platform.database.collection('signInCodes');
    const before = await codes.countDocuments();
    expect(await outcomeOf(create(request))).toMatch(/INVALID_REQUEST|UNAUTHENTICATED/);
    expect(await codes.countDocuments()).toBe(before);
  });
});
