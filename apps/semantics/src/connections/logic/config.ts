import {
  AppError,
  CONNECTION_CONFIGS,
  fieldErrorsOf,
  type ConnectionConfig,
  type ConnectionConfigInput,
  type ConnectionType,
  type FieldError,
  type ServerConfig,
  type SqlDialect,
  type SqliteConfig,
  type StaticConfig,
} from '@gatehouse/contract';

/** The target and options of a connection to a database server, without the password. */
export type ServerTarget = Omit<ServerConfig, 'password'>;

/** A connection's stored configuration, by its type. */
export type StoredConfig =
  | { type: 'postgres' | 'mysql'; config: ServerTarget }
  | { type: 'sqlite'; config: SqliteConfig }
  | { type: 'static'; config: StaticConfig };

/** A valid configuration, with the password of the request; undefined when there was none. */
export interface GivenConfig {
  stored: StoredConfig;
  password?: string | undefined;
}

const DEFAULT_PORTS: Partial<Record<ConnectionType, number>> = { postgres: 5432, mysql: 3306 };

/** Checks a configuration by the type of its connection. Throws INVALID_REQUEST with each field. */
export function parseConfig(type: ConnectionType, input: ConnectionConfigInput): GivenConfig {
  const parsed = CONNECTION_CONFIGS[type].safeParse(input);
  if (!parsed.success) {
    const message = `does not go with a connection of type ${type}`;
    const fieldErrors = fieldErrorsOf(parsed.error, ['config']).map((fault): FieldError => {
      return fault.code === 'unknown' ? { ...fault, message, code: 'conflict' } : fault;
    });
    throw new AppError('INVALID_REQUEST', { fieldErrors });
  }
  const { password, ...config } = parsed.data as typeof parsed.data & { password?: string };
  return { stored: { type, config } as StoredConfig, password };
}

/** A configuration without its secrets. */
export function publicConfig(stored: StoredConfig, hasPassword: boolean): ConnectionConfig {
  return isServer(stored) ? { ...stored.config, hasPassword } : stored.config;
}

/** The SQL dialect of a connection. */
export function dialectOf(stored: StoredConfig): SqlDialect {
  return stored.type === 'static' ? stored.config.dialect : stored.type;
}

/**
 * The changed fields that would send a stored password to another server or user, or with less protection.
 * The request must then repeat the password, so that a caller who may change a connection cannot learn it.
 */
export function findRedirections(former: StoredConfig, next: StoredConfig): (keyof ServerTarget)[] {
  if (!isServer(former) || !isServer(next)) return [];
  const portOf = ({ type, config }: { type: ConnectionType; config: ServerTarget }) =>
    config.port ?? DEFAULT_PORTS[type];
  const fields = (['host', 'user', 'tls'] as const).filter(
    (field) => former.config[field] !== next.config[field],
  );
  return portOf(former) === portOf(next) ? fields : [...fields, 'port'];
}

/** Whether a connection leads to a database server, which may have a password. */
function isServer(stored: StoredConfig): stored is Extract<StoredConfig, { type: 'postgres' | 'mysql' }> {
  return stored.type === 'postgres' || stored.type === 'mysql';
}
