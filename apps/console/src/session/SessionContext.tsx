import { createContext, use } from 'react';
import type { SignedIn } from './session.js';

/** The session, and the project whose records are shown. */
export interface ActiveSession extends SignedIn {
  project: { id: string; name: string };
}

export const SessionContext = createContext<ActiveSession | null>(null);

/** The session of the signed-in user. */
export function useSession(): ActiveSession {
  const session = use(SessionContext);
  if (session === null) throw new Error('useSession is used outside of a session');
  return session;
}

const ROLE_ORDER = ['VIEWER', 'POWER_USER', 'AUTHOR', 'ADMIN'];

/** Whether the role of the user includes another one. */
export function useHasRole(role: 'VIEWER' | 'POWER_USER' | 'AUTHOR' | 'ADMIN'): boolean {
  const { user } = useSession();
  return ROLE_ORDER.indexOf(user.role) >= ROLE_ORDER.indexOf(role);
}
