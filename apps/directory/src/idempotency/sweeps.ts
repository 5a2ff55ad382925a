import type { Sweep } from '@gatehouse/service';
import type { Directory } from '../directory.js';

/** The periodic clean-up of idempotency claims. */
export function createIdempotencySweeps({ stores }: Directory): Sweep[] {
  return [{ name: 'idempotency', run: (now) => stores.idempotency.deleteExpired(now) }];
}
