import type { RangeVar } from '@pgsql/types';

const SYSTEM_NAME = /^pg_/;

/** True of the system catalogs, and of names that PostgreSQL looks for among them first. */
export function isSystemTable({ schemaname, relname = '' }: RangeVar): boolean {
  return schemaname === undefined ? SYSTEM_NAME.test(relname) : isSystemSchema(schemaname);
}

export function isSystemSchema(schema: string): boolean {
  return schema === 'information_schema' || SYSTEM_NAME.test(schema);
}
