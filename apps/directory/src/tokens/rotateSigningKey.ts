import { createPrivateKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { PublicKey } from '@gatehouse/contract';
import {
  type CallContext,
  createEvent,
  newKey,
  retryOnConflict,
  type SealedField,
  WriteConflict,
} from '@gatehouse/service';
import { systemOrigin, type Directory, type Input, type Output } from '../directory.js';
import type { ActiveKey } from './activeKeyCache.js';

export const SEALED_KEY_FIELDS: readonly SealedField[] = [
  { collection: 'signingKeys', path: ['sealedPrivateJwk'], contextOf: ({ _id }) => _id },
];

/** The organization in events about the platform itself, which belong to no organization. */
const PLATFORM = 'platform';

type Moment = Pick<CallContext, 'requestId' | 'now'>;

/**
 * Returns the key that signs, and creates it if none exists. Processes that create one concurrently all get
 * the same.
 */
export function getActiveKey(directory: Directory, moment: Moment): Promise<ActiveKey> {
  return directory.activeKey.get(() => readActiveKey(directory, moment));
}

async function readActiveKey(directory: Directory, moment: Moment): Promise<ActiveKey> {
  const { _id: kid, sealedPrivateJwk } = await retryOnConflict(async () => {
    const found = await directory.stores.signingKeys.findActive();
    if (found) return found;
    await createActiveKey(directory, moment);
    // The stored key is read: another process may have stored one first.
    throw new WriteConflict();
  });
  const jwk = JSON.parse(directory.sealer.open(sealedPrivateJwk, kid)) as JsonWebKey;
  return { kid, privateKey: createPrivateKey({ key: jwk, format: 'jwk' }) };
}

/** Stores a new key as the one that signs, unless one exists. */
async function createActiveKey({ stores, sealer }: Directory, moment: Moment): Promise<void> {
  const kid = newKey();
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const publicJwk = PublicKey.parse({
    ...publicKey.export({ format: 'jwk' }),
    kid,
    alg: 'EdDSA',
    use: 'sig',
  });
  const sealedPrivateJwk = sealer.seal(JSON.stringify(privateKey.export({ format: 'jwk' })), kid);
  const origin = systemOrigin(moment, PLATFORM);
  const events = [createEvent('management.signing_key.rotated.v1', kid, { origin, data: { kid } })];
  await stores.signingKeys.insertActive(
    { _id: kid, publicJwk, sealedPrivateJwk },
    { events, now: moment.now },
  );
}

/**
 * Retires the active key and creates another. It signs at once, because verifiers fetch keys that they do not
 * know.
 */
export async function replaceActiveKey(directory: Directory, moment: Moment): Promise<string> {
  const { signingKeys } = directory.stores;
  const former = await signingKeys.findActive();
  if (former) await signingKeys.retire(former._id, moment.now);
  await createActiveKey(directory, moment);
  directory.activeKey.clear();
  return (await getActiveKey(directory, moment)).kid;
}

export async function rotateSigningKey(
  directory: Directory,
  _input: Input<'tokens', 'rotateKey'>,
  context: CallContext,
): Promise<Output<'tokens', 'rotateKey'>> {
  return { kid: await replaceActiveKey(directory, context) };
}
