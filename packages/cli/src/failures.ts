import { GatehouseError, NoAnswerError } from '@gatehouse/client';
import { EXIT_CODES, type ExitCode } from './exitCodes.js';

/** An error that ends a command, with a message of one line. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The arguments or the input are wrong. */
export function usageError(message: string): CommandError {
  return new CommandError(EXIT_CODES.usage, message);
}

const CODE_OF_STATUS: Readonly<Record<number, ExitCode>> = {
  400: EXIT_CODES.usage,
  401: EXIT_CODES.notAllowed,
  403: EXIT_CODES.notAllowed,
  404: EXIT_CODES.notFound,
  409: EXIT_CODES.conflict,
  412: EXIT_CODES.conflict,
  413: EXIT_CODES.usage,
  422: EXIT_CODES.conflict,
  429: EXIT_CODES.notReachable,
  503: EXIT_CODES.notReachable,
  504: EXIT_CODES.notReachable,
};

function describeAnswer({ message, blockedBy, requestId, retryAfterSeconds }: GatehouseError): string {
  const parts = blockedBy.map(({ id, title }) => `${id} (${title}) stands in the way`);
  const details = parts.length === 0 ? '' : `: ${parts.join('; ')}`;
  const later = retryAfterSeconds === null ? '' : `; try again in ${retryAfterSeconds} s`;
  return `${message}${details}${later}${requestId === null ? '' : ` (request ${requestId})`}`;
}

/**
 * The message of an error, and the exit code. An internal error of this program is reported without details.
 */
export function describeFailure(error: unknown): { message: string; exitCode: ExitCode } {
  if (error instanceof CommandError) return { message: error.message, exitCode: error.exitCode };
  if (error instanceof NoAnswerError) return { message: error.message, exitCode: EXIT_CODES.notReachable };
  if (error instanceof GatehouseError) {
    const exitCode = CODE_OF_STATUS[error.status] ?? EXIT_CODES.failed;
    return { message: describeAnswer(error), exitCode };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { message: `Something went wrong: ${message}`, exitCode: EXIT_CODES.failed };
}
