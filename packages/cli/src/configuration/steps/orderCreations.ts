import { KINDS } from '../model/kinds.js';
import { addressOf, type ConfigurationRecord, type Fields } from '../model/records.js';
import { contentReferences, fieldReferences, kindsOf } from '../model/references.js';

/** A record to create, and the fields that have to wait until all records exist. */
export interface Creation {
  record: ConfigurationRecord;
  later: Fields;
}

/** The records that a record refers to, of those that are to be created. */
function dependenciesOf(
  record: ConfigurationRecord,
  created: ReadonlyMap<string, ConfigurationRecord>,
): ConfigurationRecord[] {
  return [...fieldReferences(record), ...contentReferences(record)].flatMap(({ target, key }) =>
    kindsOf(target).flatMap((kind) => created.get(addressOf({ kind, key })) ?? []),
  );
}

/** The contents of a record, which are written later if they refer to a record that is created later. */
function contentsOf({ kind, fields }: ConfigurationRecord): Fields {
  return Object.fromEntries(KINDS[kind].contents.map((name) => [name, fields[name]]));
}

/**
 * Orders records so that each comes after those it refers to. Where they refer to each other in a circle, as
 * dashboards that link one another, one of them gets its content later.
 */
export function orderCreations(records: readonly ConfigurationRecord[]): Creation[] {
  const created = new Map(records.map((record) => [addressOf(record), record]));
  const ordered: Creation[] = [];
  const begun = new Set<ConfigurationRecord>();
  const done = new Set<ConfigurationRecord>();
  const visit = (record: ConfigurationRecord): void => {
    if (begun.has(record)) return;
    begun.add(record);
    const dependencies = dependenciesOf(record, created);
    for (const dependency of dependencies) visit(dependency);
    const isCircular = dependencies.some((dependency) => !done.has(dependency));
    ordered.push({ record, later: isCircular ? contentsOf(record) : {} });
    done.add(record);
  };
  for (const record of records) visit(record);
  return ordered;
}
