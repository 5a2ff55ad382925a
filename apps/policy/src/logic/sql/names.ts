import type { SqlDialect } from '@gatehouse/contract';

const QUOTED = /^(?:"([^]*)"|`([^]*)`|\[([^]*)\])$/;
const ASCII_UPPER = /[A-Z]+/g;

/**
 * True of the dialects in which a quoted name stands for itself alone. In the others names that differ in case only are
 * taken for the same, which some servers would keep apart: a rule then covers both, never neither.
 */
function isExact(dialect: SqlDialect): boolean {
  return dialect === 'postgres';
}

/** An unquoted name as the dialect reads it. PostgreSQL lowers ASCII letters and leaves all others as they are. */
export function foldName(name: string, dialect: SqlDialect): string {
  return isExact(dialect)
    ? name.replaceAll(ASCII_UPPER, (letters) => letters.toLowerCase())
    : name.toLowerCase();
}

/** What names of the catalog are looked up by. */
export function nameKey(name: string, dialect: SqlDialect): string {
  return isExact(dialect) ? name : foldName(name, dialect);
}

/**
 * True when a name in a policy means a name of the catalog: the very name, the name as the dialect folds it, or, where the
 * policy writes quotes, the name within them.
 */
export function isSameName(written: string, actual: string, dialect: SqlDialect): boolean {
  const key = nameKey(actual, dialect);
  if (key === nameKey(written, dialect)) return true;
  const quoted = QUOTED.exec(written);
  if (!quoted) return key === foldName(written, dialect);
  return key === nameKey(quoted[1] ?? quoted[2] ?? quoted[3] ?? '', dialect);
}
