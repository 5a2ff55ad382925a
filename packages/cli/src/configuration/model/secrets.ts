import type { KindName } from './kinds.js';
import type { Fields } from './records.js';

const REFERENCE = /^\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}$/;
/** How the API shows the value of a secret parameter. */
const HIDDEN = '***';

/** The environment variable that a text refers to; undefined for another text. */
export function variableOf(value: unknown): string | undefined {
  return typeof value === 'string' ? REFERENCE.exec(value)?.[1] : undefined;
}

/** A reference to a variable whose name is derived from what the secret belongs to. */
export function referenceFor(...words: readonly string[]): string {
  const text = words.join('_').normalize('NFKD').toUpperCase();
  const name = text.replaceAll(/[^A-Z0-9]+/g, '_').replaceAll(/^_+|_+$/g, '');
  return `\${env:GATEHOUSE_${name.slice(0, 100)}}`;
}

/** Whether a field of a record of this kind holds a secret. */
function isSecret(kind: KindName, name: string): boolean {
  return kind === 'connection' ? name === 'password' : kind.startsWith('policy') && name.endsWith('@secret');
}

type Change = (value: unknown, place: readonly string[]) => unknown;

/** Replaces the values of the fields that hold secrets, at any depth. */
export function mapSecrets(kind: KindName, fields: Fields, change: Change): Fields {
  const walk = (value: unknown, place: readonly string[]): unknown => {
    if (Array.isArray(value)) return value.map((item, index) => walk(item, [...place, String(index)]));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value).map(([name, item]) => {
      const at = [...place, name];
      return [name, isSecret(kind, name) ? change(item, at) : walk(item, at)] as const;
    });
    return Object.fromEntries(entries);
  };
  return walk(fields, []) as Fields;
}

/** The same fields with every secret shown alike: a secret cannot be read, so it is never compared. */
export function hideSecrets(kind: KindName, fields: Fields): Fields {
  return mapSecrets(kind, fields, () => HIDDEN);
}

/** The environment variables that the secrets of a record refer to. */
export function variablesOf(kind: KindName, fields: Fields): string[] {
  const found: string[] = [];
  mapSecrets(kind, fields, (value) => {
    const variable = variableOf(value);
    if (variable !== undefined) found.push(variable);
    return value;
  });
  return found;
}
