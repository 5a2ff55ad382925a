/** The former and the present value of each field that changed, as update events carry them. */
export type ChangedFields = Record<string, { from: unknown; to: unknown }>;

/**
 * Compares the fields that an update names with what they were. A field that is undefined in `wanted` stays as it is.
 * Values are compared by identity: they are texts, flags or null.
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

/** The record as it is after the changes. */
export function applyChanges<T extends object>(current: T, changes: ChangedFields): T {
  const changed = Object.entries(changes).map(([field, { to }]) => [field, to]);
  return { ...current, ...(Object.fromEntries(changed) as Partial<T>) };
}
