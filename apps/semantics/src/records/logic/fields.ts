/** The former and the present value of each field that changed, as update events carry them. */
export type ChangedFields = Record<string, { from: unknown; to: unknown }>;

/**
 * Compares the fields of an update with the current record. A field that is undefined in `wanted` stays as it
 * is. Values are compared by identity: they are strings, booleans or null.
 */
export function changedFields<T extends object>(current: T, wanted: Partial<T>): ChangedFields {
  const changes: ChangedFields = {};
  for (const [field, to] of Object.entries(wanted)) {
    const from: unknown = current[field as keyof T];
    if (to !== undefined && to !== from) changes[field] = { from, to };
  }
  return changes;
}

/** True when nothing changed. */
export function isUnchanged(changes: ChangedFields): boolean {
  return Object.keys(changes).length === 0;
}

/** The record after the changes. */
export function applyChanges<T extends object>(current: T, changes: ChangedFields): T {
  const changed = Object.entries(changes).map(([field, { to }]) => [field, to]);
  return { ...current, ...(Object.fromEntries(changed) as Partial<T>) };
}

/** Text for comparison without regard to case. */
export function foldCase(value: string): string {
  return value.normalize('NFC').toLowerCase();
}

/** What every record stores, as far as it leaves the service. */
interface StoredFields {
  _id: string;
  projectId: string;
  name: string;
  createdBy: string | null;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** The public fields that all records share. Each is named, so that no internal field leaks. */
export function publicFields(record: StoredFields) {
  const { _id: id, projectId, name, createdBy, version, createdAt, updatedAt } = record;
  const times = { createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() };
  return { id, projectId, name, createdBy, version, ...times };
}

/** The data that every event of a record carries. */
export function eventFields({ _id: id, projectId, name }: Pick<StoredFields, '_id' | 'projectId' | 'name'>) {
  return { id, projectId, name };
}
