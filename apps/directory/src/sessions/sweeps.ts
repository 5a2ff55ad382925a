import type { Sweep } from '@gatehouse/service';
import type { Directory } from '../directory.js';

/** The periodic clean-up of expired sessions. */
export function createSessionSweeps({ stores }: Directory): Sweep[] {
  return [{ name: 'sessions', run: (now) => stores.sessions.deleteExpired(now) }];
}
