import type { Sweep } from '@gatehouse/service';
import type { Directory } from '../directory.js';

/** The periodic clean-up of expired sessions and logout tokens. */
export function createSessionSweeps({ stores }: Directory): Sweep[] {
  return [
    { name: 'sessions', run: (now) => stores.sessions.deleteExpired(now) },
    { name: 'logout tokens', run: (now) => stores.logoutTokens.deleteExpired(now) },
  ];
}
