import { newKey, type Sweep } from '@gatehouse/service';
import type { Directory } from '../directory.js';
import { isDueForRotation, retiredBefore } from './logic/keyRotation.js';
import { replaceActiveKey } from './rotateSigningKey.js';

/** The periodic clean-up of revocations and sign-in codes, and the rotation of the signing key. */
export function createTokenSweeps(directory: Directory): Sweep[] {
  const { revocations, signInCodes } = directory.stores;
  return [
    { name: 'sign-in codes', run: (now) => signInCodes.deleteEnded(now) },
    { name: 'revocations', run: (now) => revocations.deleteEnded(now) },
    { name: 'signing keys', run: (now) => sweepSigningKeys(directory, now) },
  ];
}

/** Rotates the key when it is old enough, and deletes retired keys whose tokens have all expired. */
async function sweepSigningKeys(directory: Directory, now: Date): Promise<void> {
  const { signingKeys } = directory.stores;
  const active = await signingKeys.findActive();
  if (active && isDueForRotation(active.createdAt, now, directory.config.KEY_ROTATION_HOURS)) {
    await replaceActiveKey(directory, { now, requestId: `rotation-${newKey()}` });
  }
  await signingKeys.deleteRetiredBefore(retiredBefore(now));
}
