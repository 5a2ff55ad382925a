import type { ResourceKinds } from '../resources/kind.js';

/** Longer than any call of a migration can be in progress. */
const MARKS_KEPT_MS = 86_400_000;

/** Deletes old marks of undone copies. */
export async function sweepCopyMarks({ dashboards, visuals }: ResourceKinds, now: Date): Promise<void> {
  const before = new Date(now.getTime() - MARKS_KEPT_MS);
  await dashboards.store.copies.marks.deleteBefore(before);
  await visuals.store.copies.marks.deleteBefore(before);
}
