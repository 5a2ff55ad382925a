import { GatehouseError, NoAnswerError } from '@gatehouse/client';
import { SessionError } from '../session/session.js';

/** What a person can read about an error. */
export interface ErrorText {
  message: string;
  code: string | null;
  requestId: string | null;
}

/** The text, the code and the request of an error. */
export function describeError(error: unknown): ErrorText {
  if (error instanceof GatehouseError && error.status === 401)
    return {
      message: 'Your session had ended. Nothing was changed: try again after you have signed in.',
      code: error.code,
      requestId: error.requestId,
    };
  if (error instanceof GatehouseError || error instanceof SessionError)
    return { message: error.message, code: error.code, requestId: error.requestId };
  if (error instanceof NoAnswerError)
    return {
      message: `${error.message}. Check the connection, then try again.`,
      code: null,
      requestId: null,
    };
  return { message: error instanceof Error ? error.message : String(error), code: null, requestId: null };
}
