/** A quoted name, which may contain any character. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** PostgreSQL's built-in types by their names in catalogs. Columns of other types become text. */
const TYPES: readonly [pattern: RegExp, type: string][] = [
  [/^(smallint|int2)$/, 'smallint'],
  [/^(integer|int|int4|serial)$/, 'integer'],
  [/^(bigint|int8|bigserial)$/, 'bigint'],
  [/^(numeric|decimal)$/, 'numeric'],
  [/^(real|float4)$/, 'real'],
  [/^(double precision|float8|float)$/, 'double precision'],
  [/^(boolean|bool)$/, 'boolean'],
  [/^date$/, 'date'],
  [/^timestamp( without time zone)?$/, 'timestamp'],
  [/^(timestamp with time zone|timestamptz)$/, 'timestamptz'],
  [/^time( without time zone)?$/, 'time'],
  [/^(time with time zone|timetz)$/, 'timetz'],
  [/^interval$/, 'interval'],
  [/^uuid$/, 'uuid'],
  [/^jsonb$/, 'jsonb'],
  [/^json$/, 'json'],
  [/^bytea$/, 'bytea'],
  [/^inet$/, 'inet'],
  [/^cidr$/, 'cidr'],
];

/**
 * The type of a column of a sample table. Only known types are returned, so no text of a catalog becomes SQL.
 */
export function columnType(type: string): string {
  const isArray = type.trim().endsWith('[]');
  const bare = type
    .toLowerCase()
    .replaceAll(/\([^)]*\)/g, '')
    .replace(/\[\]\s*$/, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const known = TYPES.find(([pattern]) => pattern.test(bare))?.[1] ?? 'text';
  return isArray ? `${known}[]` : known;
}
