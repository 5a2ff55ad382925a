import { stringify } from 'yaml';
import type { KindName } from '../model/kinds.js';
import { naturalKey } from '../model/keys.js';
import type { ConfigurationRecord, Fields } from '../model/records.js';

/** The folder of the JSON Schemas, beside those of the records. */
const SCHEMA_FOLDER = '.schemas';

export function schemaFileOf(kind: KindName): string {
  return `${SCHEMA_FOLDER}/${kind}.json`;
}

/** Fields that have their default are left out of the file. */
function withoutDefaults(fields: Fields): Fields {
  const isShown = ([name, value]: [string, unknown]) => {
    if (value === null || (Array.isArray(value) && value.length === 0)) return false;
    return !(value === '' && ['description', 'department', 'instructions'].includes(name));
  };
  return Object.fromEntries(Object.entries(fields).filter(isShown));
}

/** The text of the file of a record. */
export function formatFile({ kind, key, fields }: ConfigurationRecord): string {
  const own = key === naturalKey(kind, fields) ? {} : { key };
  const content = stringify(
    { ...own, ...withoutDefaults(fields) },
    { lineWidth: 0, aliasDuplicateObjects: false },
  );
  return `# yaml-language-server: $schema=../${schemaFileOf(kind)}\n${content}`;
}
