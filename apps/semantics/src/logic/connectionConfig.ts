import type {
  ConnectionType,
  ServerConfig,
  SqlDialect,
  SqliteConfig,
  StaticConfig,
} from '@gatehouse/contract';

/** How a database server is reached, without the password. */
export type ServerTarget = Omit<ServerConfig, 'password'>;

/** A connection's configuration as it is stored, with the type that it follows from. */
export type StoredConfig =
  | { type: 'postgres' | 'mysql'; config: ServerTarget }
  | { type: 'sqlite'; config: SqliteConfig }
  | { type: 'static'; config: StaticConfig };

const DEFAULT_PORTS: Partial<Record<ConnectionType, number>> = { postgres: 5432, mysql: 3306 };

/** The dialect that a connection's statements are written in. */
export function dialectOf(stored: StoredConfig): SqlDialect {
  return stored.type === 'static' ? stored.config.dialect : stored.type;
}

/**
 * The fields whose change sends a stored password to somebody else, or less protected: it has to be given again with them,
 * so that nobody who may change a connection learns the password of another.
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

/** True of the types that are servers, which may have a password. */
export function isServer(
  stored: StoredConfig,
): stored is Extract<StoredConfig, { type: 'postgres' | 'mysql' }> {
  return stored.type === 'postgres' || stored.type === 'mysql';
}
