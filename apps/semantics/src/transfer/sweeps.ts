import type { Stores } from '../dependencies.js';

/** Longer than any call of a migration may run. */
const MARKS_KEPT_MS = 86_400_000;

/** Deletes the marks of copies that were undone long ago. */
export async function sweepCopyMarks({ copies }: Stores, now: Date): Promise<void> {
  const before = new Date(now.getTime() - MARKS_KEPT_MS);
  await copies.domain.marks.deleteBefore(before);
  await copies.datamodel.marks.deleteBefore(before);
}
