import { pino, type Logger } from 'pino';
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

/**
 * Creates the JSON logger of a service. It writes to standard error, which keeps standard output free for
 * users.
 */
export function createLog(service: string, config: Pick<Config, 'LOG_LEVEL'>): Logger {
  return pino(
    {
      level: config.LOG_LEVEL,
      base: { service },
      redact: { paths: REDACTED, censor: '(hidden)' },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: traceOfLog,
      formatters: { level: (level) => ({ level }) },
    },
    pino.destination({ dest: 2, sync: false }),
  );
}
