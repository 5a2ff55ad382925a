import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { hashedWith, signedBy, unsigned, writeToken, type Signature, type Token } from './tokens.js';

type Part = Record<string, unknown>;

/** The input of a forger: a valid token, and, only for the test, the key that signed it. */
export interface Original {
  token: string;
  parts: Token;
  key: KeyObject;
  now: number;
}

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

const stranger = generateKeyPairSync('ed25519');
const strangerRsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const strangerEc = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
const strangerJwk = stranger.publicKey.export({ format: 'jwk' });

function writeWith({ parts }: Original, header: Part, signature: Signature): string {
  return writeToken({ ...parts, header: { ...parts.header, ...header } }, signature);
}

/** Tokens that are not signed with the platform's key. */
function withOtherSignatures(original: Original): Record<string, string> {
  const { token, parts, key } = original;
  const [header = '', payload = '', signature = ''] = token.split('.');
  const publicKey = createPublicKey(key);
  const byStranger = signedBy(stranger.privateKey);
  const hs256 = (secret: string | Buffer) => writeWith(original, { alg: 'HS256' }, hashedWith(secret));
  const flipped = Buffer.from(signature, 'base64url');
  flipped[0] = (flipped[0] ?? 0) ^ 1;
  const changed = Buffer.from(JSON.stringify({ ...parts.claims, orgUserId: 'ou_other' })).toString(
    'base64url',
  );
  return {
    'alg none without a signature': writeWith(original, { alg: 'none' }, unsigned),
    'alg None': writeWith(original, { alg: 'None' }, unsigned),
    'alg NONE': writeWith(original, { alg: 'NONE' }, unsigned),
    'alg none with the signature of another header': `${writeWith(original, { alg: 'none' }, unsigned)}${signature}`,
    'no alg': writeWith(original, { alg: undefined }, unsigned),
    'HS256 with the public key as PEM': hs256(publicKey.export({ type: 'spki', format: 'pem' })),
    'HS256 with the public key as DER': hs256(publicKey.export({ type: 'spki', format: 'der' })),
    'HS256 with the public key as JWK': hs256(JSON.stringify(publicKey.export({ format: 'jwk' }))),
    'HS256 with the bytes of the public key': hs256(
      Buffer.from(String(publicKey.export({ format: 'jwk' }).x), 'base64url'),
    ),
    'HS256 with an empty secret': hs256(''),
    'another Ed25519 key': writeWith(original, {}, byStranger),
    'another key in the header': writeWith(original, { jwk: strangerJwk }, byStranger),
    'another key by URL': writeWith(original, { jku: 'http://127.0.0.1:9/jwks.json' }, byStranger),
    'an unknown key id': writeWith(original, { kid: 'unknown' }, signedBy(key)),
    'no key id': writeWith(original, { kid: undefined }, signedBy(key)),
    'a path for a key id': writeWith(original, { kid: '../../../../dev/null' }, hashedWith('')),
    'an object for a key id': writeWith(original, { kid: { $ne: null } }, signedBy(key)),
    'the name of a property for a key id': writeWith(original, { kid: '__proto__' }, signedBy(key)),
    ES256: writeWith(original, { alg: 'ES256' }, signedBy(strangerEc)),
    RS256: writeWith(original, { alg: 'RS256' }, signedBy(strangerRsa)),
    'an unknown critical header': writeWith(original, { crit: ['x'], x: 1 }, signedBy(key)),
    'another type of token': writeWith(original, { typ: 'gatehouse-internal+jwt' }, signedBy(key)),
    'changed claims under the old signature': `${header}.${changed}.${signature}`,
    'a changed signature': `${header}.${payload}.${flipped.toString('base64url')}`,
    'a signature cut short': `${header}.${payload}.${signature.slice(0, 40)}`,
    'a longer signature': `${header}.${payload}.${signature}AAAA`,
    'no signature': `${header}.${payload}.`,
    'two parts': `${header}.${payload}`,
    'four parts': `${token}.${signature}`,
    'five parts': `${token}.${signature}.${signature}`,
    'no JSON inside': 'e30.bm90IGpzb24.AAAA',
    'an array for a payload': `${header}.W10.${signature}`,
    'empty parts': '..',
  };
}

/** Claims that the platform never issues, by name, each with one difference from the valid ones. */
function otherClaims({ parts: { claims }, now }: Original): Record<string, Part> {
  return {
    'another issuer': { iss: 'elsewhere' },
    'no issuer': { iss: undefined },
    'a list of issuers': { iss: [claims['iss']] },
    'another audience': { aud: 'elsewhere' },
    'no audience': { aud: undefined },
    'several audiences': { aud: [claims['aud'], 'elsewhere'] },
    'an end a second ago': { exp: now - 1 },
    'an end a day ago': { iat: now - DAY_SECONDS - 1, exp: now - DAY_SECONDS },
    'no end': { exp: undefined },
    'a text for an end': { exp: String(now + HOUR_SECONDS) },
    'an end at infinity': { exp: 1e300 },
    'a begin in an hour': { nbf: now + HOUR_SECONDS },
    'a time of issue in an hour': { iat: now + HOUR_SECONDS, exp: now + 2 * HOUR_SECONDS },
    'a time of issue beyond the longest life': { iat: now - DAY_SECONDS - HOUR_SECONDS },
    'no time of issue': { iat: undefined },
    'no id': { jti: undefined },
    'no subject': { sub: undefined },
    'another subject': { sub: 'u:nobody' },
    'another user': { orgUserId: 'ou_nobody' },
    'a tenant user besides': { tenantUserId: 'tu_nobody', tenantId: 't_nobody' },
    'no user, but a user for a subject': { orgUserId: undefined },
    'another project': { projectId: 'p_nowhere', project_id: 'p_nowhere' },
    'another organization': { organizationId: 'o_nowhere' },
    'another type': { type: 'dashboard' },
    'an unknown type': { type: 'system' },
    'the claims of an internal token': {
      iss: 'gatehouse-gateway',
      aud: 'gatehouse-services',
      caller: { kind: 'system', name: 'operator' },
    },
  };
}

/** Tokens with one fault each, by fault. */
export function forgeTokens(original: Original): Record<string, string> {
  const { parts, key } = original;
  const resigned = Object.entries(otherClaims(original)).map(([name, claims]) => [
    `${name}, signed by the platform itself`,
    writeToken({ ...parts, claims: { ...parts.claims, ...claims } }, signedBy(key)),
  ]);
  return { ...withOtherSignatures(original), ...Object.fromEntries(resigned) };
}
