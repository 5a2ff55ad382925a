/**
 * Creates a key that signs internal tokens, and the key set that verifies them:
 *
 *     npm run --silent internal-key [-- lifecycle] [<verify key> ...]
 *
 * Prints `{signingKey, verifyKey}`. With verify keys, or sets of them, `verifyKey` is the set of these and
 * the new one.
 */
import { generateKeyPairSync } from 'node:crypto';
import { readArguments } from './arguments.mjs';

const USAGE = 'npm run --silent internal-key [-- lifecycle] [<verify key> ...]';
const [first, ...others] = readArguments(USAGE, Infinity);
const isLifecycle = first === 'lifecycle';
const naming = isLifecycle ? { kid: 'lifecycle' } : {};
const given = isLifecycle ? others : [first, ...others].filter((text) => text !== undefined);

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const fresh = { ...publicKey.export({ format: 'jwk' }), ...naming };

/** The keys of a JWK or of a JWK set. @param {string} text @returns {object[]} */
function readKeys(text) {
  try {
    const parsed = JSON.parse(text);
    return parsed.keys ?? [parsed];
  } catch {
    process.stderr.write('A verify key must be a JWK or a JWK set, in JSON\n');
    process.exit(2);
  }
}

const former = given.flatMap(readKeys);
const verifyKey = former.length === 0 ? fresh : { keys: [...former, fresh] };
const signingKey = { ...privateKey.export({ format: 'jwk' }), ...naming };
process.stdout.write(
  `${JSON.stringify({ signingKey: JSON.stringify(signingKey), verifyKey: JSON.stringify(verifyKey) }, null, 2)}\n`,
);
