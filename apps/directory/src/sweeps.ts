import type { Sweep } from '@gatehouse/service';
import type { Directory } from './directory.js';
import { sweepSigningKeys } from './operations/signingKeys.js';

/** What is due from time to time. */
export function createSweeps(directory: Directory): Sweep[] {
  const { revocations, idempotency } = directory.stores;
  return [
    { name: 'revocations', run: (now) => revocations.deleteEnded(now) },
    { name: 'idempotency', run: (now) => idempotency.deleteExpired(now) },
    { name: 'signing keys', run: (now) => sweepSigningKeys(directory, now) },
  ];
}
