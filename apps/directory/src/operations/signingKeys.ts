import { createPrivateKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { PublicKey } from '@gatehouse/contract';
import { type CallContext, createEvent, newKey, type SealedField, untilWritten } from '@gatehouse/service';
import type { Answer, Directory, Input } from '../directory.js';
import { isDueForRotation, retiredBefore } from '../logic/keyRotation.js';
import type { ActiveKey } from './activeKey.js';
import { PLATFORM, systemOrigin } from './origins.js';

export const SEALED_FIELDS: readonly SealedField[] = [
  { collection: 'signingKeys', path: ['sealedPrivateJwk'], contextOf: ({ _id }) => _id },
];

type Moment = Pick<CallContext, 'requestId' | 'now'>;

/** The key that signs; makes one when there is none. Processes that make one at once end up with the same. */
export async function getActiveKey(directory: Directory, moment: Moment): Promise<ActiveKey> {
  const known = directory.activeKey.find(moment.now);
  if (known) return known;
  const { _id: kid, sealedPrivateJwk } = await untilWritten(async () => {
    const found = await directory.stores.signingKeys.findActive();
    if (!found) await makeActiveKey(directory, moment);
    return found;
  });
  const jwk = JSON.parse(directory.sealer.open(sealedPrivateJwk, kid)) as JsonWebKey;
  const key = { kid, privateKey: createPrivateKey({ key: jwk, format: 'jwk' }) };
  directory.activeKey.remember(key, moment.now);
  return key;
}

/** Stores a new key as the one that signs, unless there is one. */
async function makeActiveKey({ stores, sealer }: Directory, moment: Moment): Promise<void> {
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

/** Ends the signing of one key and makes another. Verifiers fetch a key that they do not know, so it signs at once. */
async function replaceActiveKey(directory: Directory, moment: Moment): Promise<string> {
  const { signingKeys } = directory.stores;
  const former = await signingKeys.findActive();
  if (former) await signingKeys.retire(former._id, moment.now);
  await makeActiveKey(directory, moment);
  directory.activeKey.forget();
  return (await getActiveKey(directory, moment)).kid;
}

export async function listPublicKeys(
  { stores }: Directory,
  _input: Input<'tokens', 'keys'>,
  _context: CallContext,
): Answer<'tokens', 'keys'> {
  return { keys: await stores.signingKeys.listPublic() };
}

export async function rotateSigningKey(
  directory: Directory,
  _input: Input<'tokens', 'rotateKey'>,
  context: CallContext,
): Answer<'tokens', 'rotateKey'> {
  return { kid: await replaceActiveKey(directory, context) };
}

/** Rotates the key when it is old enough, and removes keys that no living token was signed with. */
export async function sweepSigningKeys(directory: Directory, now: Date): Promise<void> {
  const { signingKeys } = directory.stores;
  const active = await signingKeys.findActive();
  if (active && isDueForRotation(active.createdAt, now, directory.config.KEY_ROTATION_HOURS)) {
    await replaceActiveKey(directory, { now, requestId: `rotation-${newKey()}` });
  }
  await signingKeys.deleteRetiredBefore(retiredBefore(now));
}
