import { z } from 'zod';

const flag = (value: '0' | '1') =>
  z
    .enum(['0', '1'])
    .default(value)
    .transform((given) => given === '1');
const milliseconds = (value: number) => z.coerce.number().int().min(1).default(value);
const count = (value: number) => z.coerce.number().int().min(0).default(value);

interface Variable {
  schema: z.ZodType;
  about: string;
  isSecret?: true;
}

/** Every environment variable that any process of Gatehouse reads. Nothing else reads the environment. */
const VARIABLES = {
  HOST: { schema: z.string().min(1).default('127.0.0.1'), about: 'address that this process listens on' },
  PORT: {
    schema: z.coerce.number().int().min(0).max(65_535).default(8080),
    about: 'port; 0 takes a free one',
  },
  DATA_DIR: {
    schema: z.string().min(1).default('.data'),
    about: 'where the embedded engine and the credentials are kept',
  },
  DEMO: { schema: flag('1'), about: '1 loads the demo organization on the first start, 0 leaves it out' },
  LOG_LEVEL: {
    schema: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
    about: 'least severe level that is logged',
  },
  MONGODB_URL: {
    schema: z.string().optional(),
    about: 'MongoDB server; absent, the embedded engine',
    isSecret: true,
  },
  MONGODB_TIMEOUT_MS: {
    schema: count(10_000),
    about: 'longest that the database may leave one command unanswered; 0 sets no limit',
  },
  MONGODB_PREFIX: {
    schema: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,30}$/)
      .default('gatehouse'),
    about: "first part of each service's database name",
  },
  NATS_URL: {
    schema: z.string().optional(),
    about: 'NATS server with JetStream; absent, the bus in process',
    isSecret: true,
  },
  DIRECTORY_URL: {
    schema: z.string().default('ws://127.0.0.1:8091'),
    about: 'where the directory service listens',
  },
  ACCESS_URL: {
    schema: z.string().default('ws://127.0.0.1:8092'),
    about: 'where the access service listens',
  },
  SEMANTICS_URL: {
    schema: z.string().default('ws://127.0.0.1:8093'),
    about: 'where the semantics service listens',
  },
  POLICY_URL: {
    schema: z.string().default('ws://127.0.0.1:8094'),
    about: 'where the policy service listens',
  },
  LIFECYCLE_URL: {
    schema: z.string().default('ws://127.0.0.1:8095'),
    about: 'where the lifecycle service listens',
  },
  AUDIT_URL: {
    schema: z.string().default('ws://127.0.0.1:8096'),
    about: 'where the audit service listens',
  },
  CONNECTION_HOSTS: {
    schema: z.string().default(''),
    about:
      'hosts and networks that connections may reach, as db.example.com, *.example.com, 10.1.0.0/16, with :port; * for all public hosts',
  },
  WEBHOOK_HOSTS: {
    schema: z.string().default(''),
    about: 'hosts and networks that webhooks may reach, written as CONNECTION_HOSTS',
  },
  REPOSITORY_HOSTS: {
    schema: z.string().default(''),
    about: 'hosts and networks of git remotes that may be reached, written as CONNECTION_HOSTS',
  },
  REPOSITORY_DIR: {
    schema: z.string().optional(),
    about: 'folder for the git repositories of projects; absent, there is no version control',
  },
  GIT_PROGRAM: { schema: z.string().min(1).default('git'), about: 'the git program, 2.37 or later' },
  SQLITE_DIR: {
    schema: z.string().optional(),
    about: 'folder whose SQLite files connections may read; absent, none',
  },
  INTROSPECTION_TIMEOUT_MS: {
    schema: milliseconds(8000),
    about: 'longest that reading the catalog of a database may take',
  },
  COMPILE_TIMEOUT_MS: {
    schema: milliseconds(2000),
    about: 'longest that restricting one SQL statement may take',
  },
  INTERNAL_SIGNING_KEY: {
    schema: z.string().optional(),
    about: 'private Ed25519 JWK that the gateway signs internal tokens with',
    isSecret: true,
  },
  INTERNAL_VERIFY_KEY: {
    schema: z.string().optional(),
    about:
      'what internal tokens are verified with: the public half of INTERNAL_SIGNING_KEY, or a JWK set of several',
  },
  LIFECYCLE_SIGNING_KEY: {
    schema: z.string().optional(),
    about:
      'private Ed25519 JWK with the kid "lifecycle", by which that service ends what a crash has interrupted',
    isSecret: true,
  },
  SEALING_KEYS: {
    schema: z.string().optional(),
    about: 'keys that secrets are sealed with at rest, 32 bytes in base64 each; the first seals, all open',
    isSecret: true,
  },
  TOKEN_ISSUER: { schema: z.string().default('gatehouse'), about: 'issuer of access tokens' },
  TOKEN_AUDIENCE: { schema: z.string().default('gatehouse-api'), about: 'audience of access tokens' },
  CORS_ORIGINS: {
    schema: z.string().default(''),
    about: 'origins that browsers may call from, separated by commas',
  },
  RATE_LIMIT_TOKEN: { schema: count(100), about: 'token requests a minute and project; 0 sets no limit' },
  RATE_LIMIT: {
    schema: count(5000),
    about: 'requests a minute and project, and without a token a minute and address; 0 sets no limit',
  },
  MAX_IN_FLIGHT: { schema: count(512), about: 'requests served at once; further ones are answered 503' },
  REQUEST_TIMEOUT_MS: { schema: milliseconds(10_000), about: 'longest that one call of a service may take' },
  SHUTDOWN_TIMEOUT_MS: {
    schema: milliseconds(8000),
    about: 'longest that a stop waits for requests in flight',
  },
  DRAIN_MS: {
    schema: count(1000),
    about:
      'longest that a stop of the gateway waits for callers to leave the connections that they keep; part of SHUTDOWN_TIMEOUT_MS',
  },
  PRINCIPAL_CACHE_MS: {
    schema: z.coerce.number().int().min(1).max(4000).default(4000),
    about: 'how long the gateway remembers a principal when no event says that it changed',
  },
  WEBHOOK_TIMEOUT_MS: {
    schema: milliseconds(8000),
    about: 'longest that one attempt to deliver to a webhook may take',
  },
  WEBHOOK_POLL_MS: {
    schema: milliseconds(1000),
    about: 'time between two looks for deliveries that are due',
  },
  WEBHOOK_RETRY_SECONDS: {
    schema: z
      .string()
      .regex(/^\d{1,6}(,\d{1,6}){0,29}$/)
      .default('5,30,120,600,1800,3600,7200,18000,18000,36000'),
    about:
      'waits before the second, third, ... attempt to deliver; after the last one the delivery has failed',
  },
  WEBHOOK_CONCURRENCY: {
    schema: z.coerce.number().int().min(1).max(1000).default(32),
    about: 'attempts that one process makes at once; at most four go to one host',
  },
  METRICS_PORT: {
    schema: z.coerce.number().int().min(0).max(65_535).optional(),
    about:
      'port of the metrics; 0 takes a free one, absent, there are none. `npm run mesh` counts on from it',
  },
  METRICS_HOST: {
    schema: z.string().min(1).default('127.0.0.1'),
    about: 'address that the metrics are read on',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    about: 'OTLP/HTTP receiver of traces, as http://127.0.0.1:4318; absent, nothing is traced',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    schema: z.string().optional(),
    about: 'headers for the receiver of traces, as name=value,name=value',
    isSecret: true,
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: z.coerce.number().min(0).max(1).default(1),
    about: 'share of the requests that are traced, 0 to 1',
  },
  SWEEP_INTERVAL_MS: { schema: milliseconds(10_000), about: 'time between two sweeps of what has expired' },
  KEY_ROTATION_HOURS: { schema: count(720), about: 'age at which the signing key is replaced; 0 never does' },
  VALIDATE_OUTPUT: {
    schema: flag('0'),
    about: '1 checks every answer of a service against its contract; for tests',
  },
} as const satisfies Record<string, Variable>;

export type Config = { [Name in keyof typeof VARIABLES]: z.output<(typeof VARIABLES)[Name]['schema']> };

type Environment = Record<string, string | undefined>;

/** Reads and checks the environment. Throws one Error that names every variable that is wrong, never its value. */
export function readConfig(environment: Environment = process.env): Config {
  const shape = Object.fromEntries(Object.entries(VARIABLES).map(([name, { schema }]) => [name, schema]));
  const given = Object.fromEntries(
    Object.keys(VARIABLES).map((name) => [name, environment[name] || undefined]),
  );
  const parsed = z.object(shape).safeParse(given);
  if (parsed.success) return parsed.data as Config;
  const faults = parsed.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`);
  throw new Error(`These environment variables are not valid:\n${faults.join('\n')}`);
}

/** The text of `--help`: every variable with its value, secrets redacted. */
export function describeConfig(config: Config): string {
  const lines = Object.entries(VARIABLES).map(([name, variable]: [string, Variable]) => {
    const value = config[name as keyof Config];
    const shown =
      value === undefined ? '(not set)' : variable.isSecret ? '(set, hidden)' : JSON.stringify(value);
    return `  ${name.padEnd(27)} ${shown.padEnd(24)} ${variable.about}`;
  });
  return `Environment variables, with the values in force:\n\n${lines.join('\n')}\n`;
}

/** The environment for a child process: this one's own, with some variables set anew. */
export function childEnvironment(overrides: Partial<Record<keyof Config, string>>): Environment {
  return { ...process.env, ...overrides };
}
