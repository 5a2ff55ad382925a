import { z } from 'zod';
import { parseHostRules } from './network/hostRules.js';
import { QUOTA_VARIABLES } from './quotas/variables.js';
import { createUrlVariables } from './serviceUrls.js';

const flag = (value: '0' | '1') =>
  z
    .enum(['0', '1'])
    .default(value)
    .transform((given) => given === '1');
const milliseconds = (value: number) => z.coerce.number().int().min(1).default(value);
const count = (value: number) => z.coerce.number().int().min(0).default(value);
const areHosts = (text: string) => !('wrongEntry' in parseHostRules(text));
/** An entry that cannot be parsed would reject every host at the first connection. */
const hosts = z
  .string()
  .refine(areHosts, 'must list hosts, addresses or networks such as db.example.com:5432 or 10.1.0.0/16')
  .default('');

interface Variable {
  schema: z.ZodType;
  about: string;
  isSecret?: true;
}

/** Every environment variable of the platform. */
const VARIABLES = {
  HOST: { schema: z.string().min(1).default('127.0.0.1'), about: 'address that this process listens on' },
  PORT: {
    schema: z.coerce.number().int().min(0).max(65_535).default(8080),
    about: 'port; 0 selects a free one',
  },
  DATA_DIR: {
    schema: z.string().min(1).default('.data'),
    about: 'directory of the embedded engine and the credentials',
  },
  DEMO: { schema: flag('1'), about: '1 loads the demo organization on the first start, 0 skips it' },
  LOG_LEVEL: {
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    about: 'lowest severity that is logged: trace, debug, info, warn, error, fatal or silent',
  },
  MONGODB_URL: {
    schema: z.string().optional(),
    about: 'MongoDB server; without it, the embedded engine',
    isSecret: true,
  },
  MONGODB_TIMEOUT_MS: {
    schema: count(10_000),
    about: 'time limit of one database command; 0 sets no limit',
  },
  MONGODB_SHARDED: {
    schema: flag('0'),
    about: '1 if MONGODB_URL leads to the routers of a sharded cluster',
  },
  MONGODB_PREFIX: {
    schema: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,30}$/)
      .default('gatehouse'),
    about: "prefix of each service's database name",
  },
  NATS_URL: {
    schema: z
      .string()
      .regex(/^(?:nats|tls):\/\//, 'must begin with nats:// or tls://')
      .refine((url) => URL.canParse(url), 'must be the URL of one server')
      .optional(),
    about: 'NATS server with JetStream; without it, the in-process bus',
    isSecret: true,
  },
  ...createUrlVariables(),
  CONNECTION_HOSTS: {
    schema: hosts,
    about:
      'hosts and networks that connections may reach, such as db.example.com, *.example.com, 10.1.0.0/16, with :port; * for all public hosts',
  },
  WEBHOOK_HOSTS: {
    schema: hosts,
    about: 'hosts and networks that webhooks may reach, in the format of CONNECTION_HOSTS',
  },
  REPOSITORY_HOSTS: {
    schema: hosts,
    about: 'hosts and networks of git remotes, in the format of CONNECTION_HOSTS',
  },
  REPOSITORY_DIR: {
    schema: z.string().optional(),
    about: 'directory of the git repositories of projects; without it, there is no version control',
  },
  GIT_PROGRAM: { schema: z.string().min(1).default('git'), about: 'the git program, 2.37 or later' },
  SQLITE_DIR: {
    schema: z.string().optional(),
    about:
      'directory with a subdirectory for each organization, whose SQLite files its connections may read; without it, none',
  },
  INTROSPECTION_TIMEOUT_MS: {
    schema: milliseconds(8000),
    about: 'time limit of reading the catalog of a database',
  },
  COMPILE_TIMEOUT_MS: {
    schema: milliseconds(2000),
    about: 'time limit of restricting one SQL statement',
  },
  AUDIT_COMPILATIONS: {
    schema: flag('0'),
    about: '1 records each compilation of SQL for an actor in the audit log',
  },
  INTERNAL_SIGNING_KEY: {
    schema: z.string().optional(),
    about: 'private Ed25519 JWK with which the gateway signs internal tokens',
    isSecret: true,
  },
  INTERNAL_VERIFY_KEY: {
    schema: z.string().optional(),
    about: 'public key of internal tokens: the public half of INTERNAL_SIGNING_KEY, or a JWK set',
  },
  LIFECYCLE_SIGNING_KEY: {
    schema: z.string().optional(),
    about: 'private Ed25519 JWK with the kid "lifecycle", with which that service resumes interrupted work',
    isSecret: true,
  },
  SEALING_KEYS: {
    schema: z.string().optional(),
    about: 'keys that seal secrets at rest: 32 bytes in base64, comma-separated; the first seals, all open',
    isSecret: true,
  },
  TOKEN_ISSUER: { schema: z.string().default('gatehouse'), about: 'issuer of access tokens' },
  TOKEN_AUDIENCE: { schema: z.string().default('gatehouse-api'), about: 'audience of access tokens' },
  CORS_ORIGINS: {
    schema: z.string().default(''),
    about: 'origins from which browsers may call, separated by commas',
  },
  PUBLIC_URL: {
    schema: z
      .url({ protocol: /^https?$/ })
      .refine(
        (url) => !URL.canParse(url) || (new URL(url).pathname === '/' && !/[?#@]/.test(url)),
        'must have no path, query or user',
      )
      .optional(),
    about: 'address at which callers reach the gateway, such as https://gatehouse.example.com; for links',
  },
  SESSION_IDLE_MINUTES: {
    schema: z.coerce.number().int().min(1).max(1440).default(60),
    about: 'minutes without a request after which a session of the console ends; at most 1440',
  },
  SESSION_HOURS: {
    schema: z.coerce.number().int().min(1).max(720).default(12),
    about: 'hours after which a session of the console ends even in use; at most 720',
  },
  OIDC_ISSUER: {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    about: 'OpenID provider at which people sign in to the console; without it, with one-time codes alone',
  },
  OIDC_CLIENT_ID: { schema: z.string().min(1).optional(), about: 'id of the client at the provider' },
  OIDC_CLIENT_SECRET: {
    schema: z.string().min(1).optional(),
    about: 'secret of the client at the provider; without it, the client is public',
    isSecret: true,
  },
  OIDC_SCOPE: {
    schema: z.string().min(1).default('openid email profile'),
    about: 'scopes of a sign-in, separated by spaces; with openid',
  },
  OIDC_MAPPING: {
    schema: z.string().min(1).optional(),
    about: 'what claims mean: JSON, or the path of a JSON file',
  },
  OIDC_MATCH_EMAIL: {
    schema: flag('0'),
    about: '1 finds a person by a verified e-mail at the first sign-in; 0 by issuer and subject alone',
  },
  OIDC_HOSTS: {
    schema: z.string().default(''),
    about: 'further hosts of the provider that the gateway may reach, such as keys.example.com:8443',
  },
  RATE_LIMIT_TOKEN: {
    schema: count(100),
    about: 'tokens per minute and project, and failures per minute, address and project; 0 sets no limit',
  },
  RATE_LIMIT: {
    schema: count(5000),
    about: 'requests per minute and project, and without a token per minute and address; 0 sets no limit',
  },
  MAX_IN_FLIGHT: {
    schema: count(4096),
    about: 'requests that run or wait; further ones get 503; 0 sets no limit',
  },
  MAX_RUNNING_PER_ORGANIZATION: {
    schema: z.coerce.number().int().min(1).default(16),
    about:
      'short requests of one organization that run at once while no other is active, otherwise an eighth; of long ones a quarter',
  },
  MAX_CONNECTIONS: {
    schema: count(8192),
    about: 'open connections; a further one replaces an idle one; 0 sets no limit',
  },
  TRUSTED_PROXIES: {
    schema: z.string().default(''),
    about: 'addresses and networks of reverse proxies whose X-Forwarded-For is trusted, such as 10.1.0.0/16',
  },
  REQUEST_TIMEOUT_MS: { schema: milliseconds(10_000), about: 'time limit of one call to a service' },
  SHUTDOWN_TIMEOUT_MS: {
    schema: milliseconds(8000),
    about: 'longest time that a shutdown waits for requests in flight',
  },
  DRAIN_MS: {
    schema: count(1000),
    about: 'time in a shutdown for callers of the gateway to disconnect; part of SHUTDOWN_TIMEOUT_MS',
  },
  PRINCIPAL_CACHE_MS: {
    schema: z.coerce.number().int().min(1).max(4000).default(4000),
    about: 'lifetime of a cached principal in the gateway, at most 4000; an event evicts it earlier',
  },
  WEBHOOK_TIMEOUT_MS: {
    schema: milliseconds(8000),
    about: 'time limit of one attempt to deliver to a webhook',
  },
  WEBHOOK_POLL_MS: {
    schema: milliseconds(1000),
    about: 'time between two polls for due deliveries',
  },
  WEBHOOK_RETRY_SECONDS: {
    schema: z
      .string()
      .regex(/^\d{1,6}(,\d{1,6}){0,29}$/)
      .default('5,30,120,600,1800,3600,7200,18000,18000,36000'),
    about: 'delays before each repeated attempt to deliver; after the last one the delivery has failed',
  },
  WEBHOOK_CONCURRENCY: {
    schema: z.coerce.number().int().min(1).max(1000).default(32),
    about:
      'concurrent attempts of one process, at most 1000; at most four of one organization go to one host',
  },
  METRICS_PORT: {
    schema: z.coerce.number().int().min(0).max(65_535).optional(),
    about:
      'port of the metrics; 0 selects a free one; without it, there are none; `npm run mesh` uses consecutive ports from it',
  },
  METRICS_HOST: {
    schema: z.string().min(1).default('127.0.0.1'),
    about: 'address of the metrics',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    about: 'OTLP/HTTP receiver of traces, such as http://127.0.0.1:4318; without it, nothing is traced',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    schema: z.string().optional(),
    about: 'headers for the receiver of traces, in the format name=value,name=value',
    isSecret: true,
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: z.coerce.number().min(0).max(1).default(1),
    about: 'share of the requests that are traced, 0 to 1',
  },
  ...QUOTA_VARIABLES,
  SWEEP_INTERVAL_MS: { schema: milliseconds(10_000), about: 'time between two sweeps of expired records' },
  KEY_ROTATION_HOURS: {
    schema: count(720),
    about: 'age at which the signing key is replaced; 0 disables the rotation',
  },
  VALIDATE_OUTPUT: {
    schema: flag('0'),
    about: '1 validates every output of a service against its contract; for tests',
  },
} as const satisfies Record<string, Variable>;

export type Config = { [Name in keyof typeof VARIABLES]: z.output<(typeof VARIABLES)[Name]['schema']> };

type Environment = Record<string, string | undefined>;

/**
 * Reads and validates the environment. Throws one Error that names every invalid variable, never its value.
 */
export function readConfig(environment: Environment = process.env): Config {
  const shape = Object.fromEntries(Object.entries(VARIABLES).map(([name, { schema }]) => [name, schema]));
  const given = Object.fromEntries(
    Object.keys(VARIABLES).map((name) => [name, environment[name] || undefined]),
  );
  const parsed = z.object(shape).safeParse(given);
  if (parsed.success) return parsed.data as Config;
  const faults = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`Invalid environment variables:\n${faults.join('\n')}`);
}

/** The text of `--help`: every variable and its value. Secrets are redacted. */
export function describeConfig(config: Config): string {
  const lines = Object.entries(VARIABLES).map(([name, variable]: [string, Variable]) => {
    const value = config[name as keyof Config];
    const shown =
      value === undefined ? '(not set)' : variable.isSecret ? '(set, hidden)' : JSON.stringify(value);
    return `  ${name.padEnd(29)} ${shown.padEnd(24)} ${variable.about}`;
  });
  return `Environment variables, with their current values:\n\n${lines.join('\n')}\n`;
}

/** The environment of a child process: the current one with some variables replaced. */
export function childEnvironment(overrides: Partial<Record<keyof Config, string>>): Environment {
  return { ...process.env, ...overrides };
}
