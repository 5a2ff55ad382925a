import { pino, stdSerializers, type Logger } from 'pino';
import type { Config } from './config.js';
import { traceOfLog } from './observability/tracing.js';

export type { Logger };

/** Paths whose values are redacted in every log. */
const REDACTED = [
  'authorization',
  'token',
  'accessToken',
  'projectSecret',
  'dashboardSecret',
  'secret',
  'password',
  '*.authorization',
  '*.token',
  '*.accessToken',
  '*.projectSecret',
  '*.dashboardSecret',
  '*.secret',
  '*.password',
];

/** The values of a record, in the message of MongoDB about a duplicate key, and what follows them. */
const DUPLICATE_VALUES = /dup key: \{[^]*?(?=\n {4}at |$)/g;

/**
 * Returns what the log keeps of an error and its causes. Other fields may contain records: the driver of
 * MongoDB attaches the documents of a failed write, and git its output.
 */
function serializeError(error: unknown): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : typeof error;
  const { code, errors } = error as Error & { code?: unknown; errors?: unknown };
  const { type, message, stack } = stdSerializers.err(error);
  const withoutValues = (text: string) => text.replace(DUPLICATE_VALUES, 'dup key: (hidden)');
  return {
    type,
    message: withoutValues(message),
    stack: withoutValues(stack),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(Array.isArray(errors) ? { aggregateErrors: errors.map(serializeError) } : {}),
  };
}

/**
 * Creates the JSON logger of a service. It writes to standard error, which keeps standard output free for
 * users.
 */
export function createLog(service: string, config: Pick<Config, 'LOG_LEVEL'>): Logger {
  return pino(
    {
      level: config.LOG_LEVEL,
      base: { service },
      serializers: { err: serializeError },
      redact: { paths: REDACTED, censor: '(hidden)' },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: traceOfLog,
      formatters: { level: (level) => ({ level }) },
    },
    pino.destination({ dest: 2, sync: false }),
  );
}
