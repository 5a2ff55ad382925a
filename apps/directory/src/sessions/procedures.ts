import type { Directory, DirectoryHandlers } from '../directory.js';
import { listSessions, revokeSession } from './manageSessions.js';
import { signInWithCode } from './signInWithCode.js';
import { endByProvider, reportFailure, signInWithProvider } from './signInWithProvider.js';
import { issueSessionToken, readSession, signOut } from './useSession.js';

export function createSessionProcedures(directory: Directory): DirectoryHandlers<'sessions'> {
  return {
    sessions: {
      createFromCode: (input, context) => signInWithCode(directory, input, context),
      createFromProvider: (input, context) => signInWithProvider(directory, input, context),
      endByProvider: (input, context) => endByProvider(directory, input, context),
      reportFailure: (input, context) => reportFailure(directory, input, context),
      find: (input, context) => readSession(directory, input, context),
      issueToken: (input, context) => issueSessionToken(directory, input, context),
      end: (input, context) => signOut(directory, input, context),
      list: (input, context) => listSessions(directory, input, context),
      revoke: (input, context) => revokeSession(directory, input, context),
    },
  };
}
