type Values = Readonly<Record<string, unknown>>;

/** The fields of the configuration, by the type of the connection. */
const CONFIG_FIELDS: Readonly<Record<string, readonly string[]>> = {
  postgres: ['host', 'port', 'database', 'user', 'password', 'tls'],
  mysql: ['host', 'port', 'database', 'user', 'password', 'tls'],
  sqlite: ['file'],
  static: ['dialect'],
};

/** Whether a type has a field of the configuration. */
export function hasField(type: unknown, field: string): boolean {
  return CONFIG_FIELDS[String(type)]?.includes(field) ?? false;
}

/** The configuration of a request; empty fields are left out, so that a stored password stays. */
export function configOf(type: string, values: Values): Record<string, unknown> {
  const given = (CONFIG_FIELDS[type] ?? []).flatMap((field) => {
    const value = values[field];
    if (value === '' || value === null || value === undefined) return [];
    return [[field, field === 'port' ? Number(value) : value] as const];
  });
  return Object.fromEntries(given);
}

/** The values of a form for a stored configuration, without its secret. */
export function valuesOf(config: Values): Record<string, unknown> {
  const { hasPassword: _hasPassword, port, ...others } = config;
  return { ...others, ...(port === undefined ? {} : { port: `${Number(port)}` }), password: '' };
}

/** Which fields of a change belong to the configuration. */
export function changesConfig(type: string, changes: Values): boolean {
  return Object.keys(changes).some((name) => hasField(type, name));
}
