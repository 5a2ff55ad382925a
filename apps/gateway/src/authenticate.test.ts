import { createHmac, createPublicKey } from 'node:crypto';
import type { PublicKey } from '@gatehouse/contract';
import { AppError } from '@gatehouse/contract';
import { exportPKCS8, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it, vi } from 'vitest';
import { createTokenVerifier, readBearer } from './authenticate.js';
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

describe('a token that is right', () => {
  it('gives its claims', async () => {
    const claims = claimsOf({ securityParams: { region: ['eu'] } });
    expect(await verify(signToken(key, claims))).toEqual(claims);
  });

  it('may come from a clock that is a little ahead', async () => {
    const token = signToken(key, claimsOf({ iat: seconds() + 3, nbf: seconds() + 3 }));
    expect(await codeOf(verify(token))).toBe('accepted');
  });
});

/** A token whose signature is an HMAC of the published key, which a careless verifier takes for a shared secret. */
function signByPublicKey(secret: string | Buffer): string {
  const unsigned = signToken(key, claimsOf(), { alg: 'HS256' }).split('.').slice(0, 2).join('.');
  return `${unsigned}.${createHmac('sha256', secret).update(unsigned).digest('base64url')}`;
}

const publicPem = createPublicKey({ key: { ...key.publicKey }, format: 'jwk' }).export({
  type: 'spki',
  format: 'pem',
});
const stranger: IssuerKey = { ...createIssuerKey('k1') };
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

const attacks: [string, string | Promise<string>][] = [
  ['no signature and alg none', `${part({ alg: 'none', typ: 'JWT', kid: 'k1' })}.${part(claimsOf())}.`],
  ['alg none and a signature', signToken(key, claimsOf(), { alg: 'none' })],
  ['alg NONE', signToken(key, claimsOf(), { alg: 'NONE' })],
  ['HS256 with the public key in PEM', signByPublicKey(publicPem)],
  ['HS256 with the public key in base64url', signByPublicKey(key.publicKey.x)],
  ['HS256 with the public key in bytes', signByPublicKey(Buffer.from(key.publicKey.x, 'base64url'))],
  ['another name of the same algorithm', signToken(key, claimsOf(), { alg: 'Ed25519' })],
  ['a key of somebody else under the same id', signToken(stranger, claimsOf())],
  ['a key that it brings along', signToken(stranger, claimsOf(), { jwk: stranger.publicKey })],
  ['a key id that nobody published', signToken(key, claimsOf(), { kid: 'k2' })],
  ['no key id', signToken(key, claimsOf(), { kid: undefined })],
  ['a key id that is no text', signToken(key, claimsOf(), { kid: { $ne: '' } })],
  ['another type', signToken(key, claimsOf(), { typ: 'gatehouse-internal+jwt' })],
  ['no type', signToken(key, claimsOf(), { typ: undefined })],
  ['a critical header that is not known', signToken(key, claimsOf(), { crit: ['x'], x: 1 })],
  ['another issuer', signToken(key, claimsOf({ iss: 'gatehouse2' }))],
  ['no issuer', signToken(key, claimsOf({ iss: undefined }))],
  ['another audience', signToken(key, claimsOf({ aud: 'gatehouse-services' }))],
  ['several audiences', signToken(key, claimsOf({ aud: ['gatehouse-api', 'other'] }))],
  ['an end that has come', signToken(key, claimsOf({ exp: seconds() }))],
  ['an end long ago', signToken(key, claimsOf({ iat: seconds() - 900, exp: seconds() - 300 }))],
  ['no end', signToken(key, claimsOf({ exp: undefined }))],
  ['an end that is text', signToken(key, claimsOf({ exp: '9999999999' }))],
  ['a beginning in the future', signToken(key, claimsOf({ nbf: seconds() + 60 }))],
  ['an issue in the future', signToken(key, claimsOf({ iat: seconds() + 60 }))],
  ['no time of issue', signToken(key, claimsOf({ iat: undefined }))],
  ['a life of two days', signToken(key, claimsOf({ iat: seconds() - 172_800, exp: seconds() + 60 }))],
  ['no project', signToken(key, claimsOf({ projectId: undefined }))],
  ['an unknown type of token', signToken(key, claimsOf({ type: 'internal' }))],
  ['no id', signToken(key, claimsOf({ jti: undefined }))],
  ['a signature that was cut', signToken(key, claimsOf()).slice(0, -2)],
  ['claims exchanged under the signature', exchangeClaims()],
  ['five parts', `${signToken(key, claimsOf())}.a.b`],
  ['no parts', 'token'],
  ['nothing in it', '..'],
  ['an RSA signature', signByRsa()],
];

function exchangeClaims(): string {
  const [head, , signature] = signToken(key, claimsOf()).split('.');
  return `${head}.${part(claimsOf({ sub: 'u:other' }))}.${signature}`;
}

async function signByRsa(): Promise<string> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  expect(await exportPKCS8(privateKey)).toContain('PRIVATE KEY');
  return new SignJWT(claimsOf()).setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: 'k1' }).sign(privateKey);
}

describe('a token with', () => {
  it.each(attacks)('%s is refused', async (_what, token) => {
    expect(await codeOf(verify(await token))).toBe('UNAUTHENTICATED');
  });
});

describe('the signing keys', () => {
  it('are fetched once for many requests at a time', async () => {
    const { verify: verifyHere, countFetches } = verifierOf(() => [key.publicKey]);
    const tokens = Array.from({ length: 20 }, (_, index) => signToken(key, claimsOf({ jti: `j${index}` })));
    await Promise.all(tokens.map(verifyHere));
    expect(countFetches()).toBe(1);
  });

  it('are fetched anew for a key that is not known, so that rotation needs no pause', async () => {
    const published = [key.publicKey];
    const { verify: verifyHere } = verifierOf(() => published);
    await verifyHere(signToken(key, claimsOf()));
    const next = createIssuerKey('k2');
    published.push(next.publicKey);
    expect(await codeOf(verifyHere(signToken(next, claimsOf())))).toBe('accepted');
    expect(await codeOf(verifyHere(signToken(key, claimsOf())))).toBe('accepted');
  });

  it('are not fetched for every made-up key id', async () => {
    const { verify: verifyHere, countFetches } = verifierOf(() => [key.publicKey]);
    for (let index = 0; index < 200; index += 1) {
      const token = signToken(key, claimsOf(), { kid: `made-up-${index}` });
      expect(await codeOf(verifyHere(token))).toBe('UNAUTHENTICATED');
    }
    expect(countFetches()).toBeLessThanOrEqual(5);
  });

  it('that are published no longer verify nothing', async () => {
    let published = [key.publicKey];
    const { verify: verifyHere, refreshKeys } = verifierOf(() => published);
    const token = signToken(key, claimsOf());
    expect(await codeOf(verifyHere(token))).toBe('accepted');
    published = [createIssuerKey('k2').publicKey];
    await refreshKeys();
    expect(await codeOf(verifyHere(token))).toBe('UNAUTHENTICATED');
  });

  it('that cannot be had make the service unavailable, not the token wrong, until they can', async () => {
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

  it('are fetched anew when asked to, also while an older answer is under way', async () => {
    const answers: ((keys: PublicKey[]) => void)[] = [];
    const { verify: verifyHere, refreshKeys } = verifierOf(
      () => new Promise((answer) => answers.push(answer)),
    );
    const first = refreshKeys();
    await vi.waitUntil(() => answers.length === 1);
    const second = refreshKeys();
    answers[0]?.([]);
    await first;
    await vi.waitUntil(() => answers.length === 2);
    answers[1]?.([key.publicKey]);
    await second;
    expect(await codeOf(verifyHere(signToken(key, claimsOf())))).toBe('accepted');
  });
});

describe('an Authorization header', () => {
  it.each(['Bearer a.b.c', 'bearer a.b.c', 'BEARER  a.b.c'])('%s holds a token', (header) => {
    expect(readBearer(header)).toBe('a.b.c');
  });

  it.each([undefined, '', 'Bearer', 'Bearer ', 'Basic YTpi', 'Token a.b.c', 'Bearer a b', 'xBearer a'])(
    '%s holds none',
    (header) => {
      expect(() => readBearer(header)).toThrow(AppError);
    },
  );
});
