/** The former and the current value of each changed field, as update events contain them. */
export type ChangedFields = Record<string, { from: unknown; to: unknown }>;

/**
 * Compares the fields of an update with the current record. A field that is undefined in `wanted` stays
 * unchanged. Values are compared by identity: they are strings, booleans or null.
 */
export function changedFields<T extends object>(current: T, wanted: Partial<T>): ChangedFields {
  const changes: ChangedFields = {};
  for (const [field, to] of Object.entries(wanted)) {
    const from: unknown = current[field as keyof T];
    if (to !== undefined && to !== from) changes[field] = { from, to };
  }
  return changes;
}

/** Whether no field changed. */
export function isUnchanged(changes: ChangedFields): boolean {
  return Object.keys(changes).length === 0;
}

/** Returns the record with the changes applied. */
export function applyChanges<T extends object>(current: T, changes: ChangedFields): T {
  const changed = Object.entries(changes).map(([field, { to }]) => [field, to]);
  return { ...current, ...(Object.fromEntries(changed) as Partial<T>) };
}
