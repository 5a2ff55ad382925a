import { KINDS } from '../model/kinds.js';
import { addressOf, type ConfigurationRecord, type Fields } from '../model/records.js';
import { findEarlierDashboards } from './linkOrder.js';
import { contentReferences, fieldReferences, kindsOf } from '../model/references.js';

/** A record to create, and the fields that have to wait until all records exist. */
export interface Creation {
  record: ConfigurationRecord;
  later: Fields;
}

/** The records that a record depends on. */
type Dependencies = (record: ConfigurationRecord) => ConfigurationRecord[];

/** The records that a record refers to or needs for its links, of those that are to be created. */
function dependenciesAmong(
  created: ReadonlyMap<string, ConfigurationRecord>,
  earlier: ReadonlyMap<string, readonly ConfigurationRecord[]>,
): Dependencies {
  return (record) => {
    const references = [...fieldReferences(record), ...contentReferences(record)];
    const addresses = references.flatMap(({ target, key }) =>
      kindsOf(target).map((kind) => addressOf({ kind, key })),
    );
    const linking = (earlier.get(addressOf(record)) ?? []).map(addressOf);
    return [...addresses, ...linking].flatMap((address) => created.get(address) ?? []);
  };
}

/** The contents of a record, which are written later if they refer to a record that is created later. */
function contentsOf({ kind, fields }: ConfigurationRecord): Fields {
  return Object.fromEntries(KINDS[kind].contents.map((name) => [name, fields[name]]));
}

/**
 * Orders records so that each comes after those it depends on. Where they refer to each other in a circle, as
 * dashboards that link one another, one of them gets its content later.
 *
 * @param desired all records of the files, which decide who sees what a dashboard links
 */
export function orderCreations(
  records: readonly ConfigurationRecord[],
  desired: readonly ConfigurationRecord[] = records,
): Creation[] {
  const created = new Map(records.map((record) => [addressOf(record), record]));
  const dependenciesOf = dependenciesAmong(created, findEarlierDashboards(desired));
  const ordered: Creation[] = [];
  const begun = new Set<ConfigurationRecord>();
  const done = new Set<ConfigurationRecord>();
  const visit = (record: ConfigurationRecord): void => {
    if (begun.has(record)) return;
    begun.add(record);
    const dependencies = dependenciesOf(record);
    for (const dependency of dependencies) visit(dependency);
    const isCircular = dependencies.some((dependency) => !done.has(dependency));
    ordered.push({ record, later: isCircular ? contentsOf(record) : {} });
    done.add(record);
  };
  for (const record of records) visit(record);
  return ordered;
}
