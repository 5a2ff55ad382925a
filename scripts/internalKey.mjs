/**
 * Creates a key that signs internal tokens, and the key set that verifies them:
 *
 *     npm run --silent internal-key [-- lifecycle] [<verify key> ...]
 *
 * Prints `{signingKey, verifyKey}`. With verify keys, or sets of them, `verifyKey` is the set of these and
 * the new one.
 */
import { generateKeyPairSync } from 'node:crypto';

const [first, ...others] = process.argv.slice(2);
const isLifecycle = first === 'lifecycle';
const naming = isLifecycle ? { kid: 'lifecycle' } : {};
const given = isLifecycle ? others : [first, ...others].filter((text) => text !== undefined);

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const fresh = { ...publicKey.export({ format: 'jwk' }), ...naming };
const former = given.flatMap((text) => {
  const parsed = JSON.parse(text);
  return parsed.keys ?? [parsed];
});
const verifyKey = former.length === 0 ? fresh : { keys: [...former, fresh] };
const signingKey = { ...privateKey.export({ format: 'jwk' }), ...naming };
process.stdout.write(
  `${JSON.stringify({ signingKey: JSON.stringify(signingKey), verifyKey: JSON.stringify(verifyKey) }, null, 2)}\n`,
);
