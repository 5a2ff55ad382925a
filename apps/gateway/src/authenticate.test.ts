import { createHmac, createPublicKey } from 'node:crypto';
import type { PublicKey } from '@gatehouse/contract';
import { AppError } from '@gatehouse/contract';
import { exportPKCS8, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { createTokenVerifier } from './authenticate.js';
import { claimsOf, createIssuerKey, signToken, type IssuerKey } from './testing/accessTokens.js';

const key = createIssuerKey('k1');
const seconds = () => Math.floor(Date.now() / 1000);

function verifierOf(keys: () => readonly PublicKey[] | Promise<readonly PublicKey[]>) {
  let fetches = 0;
  const verifier = createTokenVerifier({
    async fetchKeys() {
      fetches += 1;
      return keys();
    },
    issuer: 'gatehouse',
    audience: 'gatehouse-api',
  });
  return { ...verifier, countFetches: () => fetches };
}

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: unknown) => (error instanceof AppError ? error.code : error),
  );

const { verify } = verifierOf(() => [key.publicKey]);

describe('a valid token', () => {
  it('returns its claims', async () => {
    const claims = claimsOf({ securityParams: { region: ['eu'] } });
    expect(await verify(signToken(key, claims))).toEqual(claims);
  });

  it('may come from a clock that is slightly ahead', async () => {
    const token = signToken(key, claimsOf({ iat: seconds() + 3, nbf: seconds() + 3 }));
    expect(await codeOf(verify(token))).toBe('accepted');
  });
});

/**
 * A token whose signature is an HMAC of the published key, which a careless verifier takes for a shared
 * secret.
 */
function signByPublicKey(secret: string | Buffer): string {
  const unsigned = signToken(key, claimsOf(), { alg: 'HS256' }).split('.').slice(0, 2).join('.');
  return `${unsigned}.${createHmac('sha256', secret).update(unsigned).digest('base64url')}`;
}

const publicPem = createPublicKey({ key: { ...key.publicKey }, format: 'jwk' }).export({
  type: 'spki',
  format: 'pem',
});
const foreignKey: IssuerKey = { ...createIssuerKey('k1') };
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const attacks: [string, string | Promise<string>][] = [
  ['no signature and alg none', `${part({ alg: 'none', typ: 'JWT', kid: 'k1' })}.${part(claimsOf())}.`],
  ['alg none and a signature', signToken(key, claimsOf(), { alg: 'none' })],
  ['alg NONE', signToken(key, claimsOf(), { alg: 'NONE' })],
  ['HS256 with the public key in PEM', signByPublicKey(publicPem)],
  ['HS256 with the public key in base64url', signByPublicKey(key.publicKey.x)],
  ['HS256 with the public key in bytes', signByPublicKey(Buffer.from(key.publicKey.x, 'base64url'))],
  ['another name of the same algorithm', signToken(key, claimsOf(), { alg: 'Ed25519' })],
  ['a foreign key with the same id', signToken(foreignKey, claimsOf())],
  ['its own key in the header', signToken(foreignKey, claimsOf(), { jwk: foreignKey.publicKey })],
  ['an unpublished key id', signToken(key, claimsOf(), { kid: 'k2' })],
  ['no key id', signToken(key, claimsOf(), { kid: undefined })],
  ['a key id that is not a string', signToken(key, claimsOf(), { kid: { $ne: '' } })],
  ['another type', signToken(key, claimsOf(), { typ: 'gatehouse-internal+jwt' })],
  ['no type', signToken(key, claimsOf(), { typ: undefined })],
  ['an unknown critical header', signToken(key, claimsOf(), { crit: ['x'], x: 1 })],
  ['another issuer', signToken(key, claimsOf({ iss: 'gatehouse2' }))],
  ['no issuer', signToken(key, claimsOf({ iss: undefined }))],
  ['another audience', signToken(key, claimsOf({ aud: 'gatehouse-services' }))],
  ['several audiences', signToken(key, claimsOf({ aud: ['gatehouse-api', 'other'] }))],
  ['an expiry of now', signToken(key, claimsOf({ exp: seconds() }))],
  ['an expiry in the past', signToken(key, claimsOf({ iat: seconds() - 900, exp: seconds() - 300 }))],
  ['no expiry', signToken(key, claimsOf({ exp: undefined }))],
  ['an expiry that is a string', signToken(key, claimsOf({ exp: '9999999999' }))],
  ['a not-before time in the future', signToken(key, claimsOf({ nbf: seconds() + 60 }))],
  ['an issue time in the future', signToken(key, claimsOf({ iat: seconds() + 60 }))],
  ['no issue time', signToken(key, claimsOf({ iat: undefined }))],
  ['a lifetime of two days', signToken(key, claimsOf({ iat: seconds() - 172_800, exp: seconds() + 60 }))],
  ['no project', signToken(key, claimsOf({ projectId: undefined }))],
  ['an unknown type of token', signToken(key, claimsOf({ type: 'internal' }))],
  ['no id', signToken(key, claimsOf({ jti: undefined }))],
  ['a truncated signature', signToken(key, claimsOf()).slice(0, -2)],
  ['claims replaced under the signature', replaceClaims()],
  ['five parts', `${signToken(key, claimsOf())}.a.b`],
  ['no parts', 'token'],
  ['empty parts', '..'],
  ['an RSA signature', signByRsa()],
];

function replaceClaims(): string {
  const [head, , signature] = signToken(key, claimsOf()).split('.');
  return `${head}.${part(claimsOf({ sub: 'u:other' }))}.${signature}`;
}

async function signByRsa(): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  expect(await exportPKCS8(privateKey)).toContain('PRIVATE KEY');
  return new SignJWT(claimsOf()).setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: 'k1' }).sign(privateKey);
}

describe('a token with', () => {
  it.each(attacks)('%s is rejected', async (_what, token) => {
    expect(await codeOf(verify(await token))).toBe('UNAUTHENTICATED');
  });
});

describe('the signing keys', () => {
  it('are fetched once for many concurrent requests', async () => {
    const { verify: verifyHere, countFetches } = verifierOf(() => [key.publicKey]);
    const tokens = Array.from({ length: 20 }, (_, index) => signToken(key, claimsOf({ jti: `j${index}` })));
    await Promise.all(tokens.map(verifyHere));
    expect(countFetches()).toBe(1);
  });

  it('are fetched again for an unknown key, so that rotation needs no downtime', async () => {
    const published = [key.publicKey];
    const { verify: verifyHere } = verifierOf(() => published);
    await verifyHere(signToken(key, claimsOf()));
    const next = createIssuerKey('k2');
    published.push(next.publicKey);
    expect(await codeOf(verifyHere(signToken(next, claimsOf())))).toBe('accepted');
    expect(await codeOf(verifyHere(signToken(key, claimsOf())))).toBe('accepted');
  });

  it('are not fetched for every invented key id', async () => {
    const { verify: verifyHere, countFetches } = verifierOf(() => [key.publicKey]);
    for (let index = 0; index < 200; index += 1) {
      const token = signToken(key, claimsOf(), { kid: `invented-${index}` });
      expect(await codeOf(verifyHere(token))).toBe('UNAUTHENTICATED');
    }
    expect(countFetches()).toBeLessThanOrEqual(5);
  });

  it('that are no longer published do not verify tokens', async () => {
    let published = [key.publicKey];
    const { verify: verifyHere, refreshKeys } = verifierOf(() => published);
    const token = signToken(key, claimsOf());
    expect(await codeOf(verifyHere(token))).toBe('accepted');
    published = [createIssuerKey('k2').publicKey];
    await refreshKeys();
    expect(await codeOf(verifyHere(token))).toBe('UNAUTHENTICATED');
  });

  it('cause UNAVAILABLE, not UNAUTHENTICATED, while they cannot be fetched', async () => {
    let isDown = true;
    const { verify: verifyHere, refreshKeys } = verifierOf(() => {
      if (isDown) throw new AppError('UNAVAILABLE');
      return [key.publicKey];
    });
    const token = signToken(key, claimsOf());
    for (let index = 0; index < 20; index += 1) expect(await codeOf(verifyHere(token))).toBe('UNAVAILABLE');
    isDown = false;
    await refreshKeys();
    expect(await codeOf(verifyHere(token))).toBe('accepted');
  });

  it('are fetched again by `refreshKeys`, even while an older fetch is pending', async () => {
    const pending: ((keys: PublicKey[]) => void)[] = [];
    const { verify: verifyHere, refreshKeys } = verifierOf(
      () => new Promise((resolve) => pending.push(resolve)),
    );
    const first = refreshKeys();
    await vi.waitUntil(() => pending.length === 1);
    const second = refreshKeys();
    pending[0]?.([]);
    await first;
    await vi.waitUntil(() => pending.length === 2);
    pending[1]?.([key.publicKey]);
    await second;
    expect(await codeOf(verifyHere(signToken(key, claimsOf())))).toBe('accepted');
  });
});
