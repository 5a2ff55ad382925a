import { GatehouseError } from '@gatehouse/client';
import { isSame, textOf } from '../logic/formChanges.js';
import type { ConflictingField } from './ConflictDialog.js';
import type { Field, FormValues } from './fields.js';

/** Whether a change was refused because another person saved the record first. */
export function isConflict(error: unknown): boolean {
  return error instanceof GatehouseError && error.code === 'PRECONDITION_FAILED';
}

/** The fields whose values differ, with both as texts. */
export function compareVersions(
  fields: readonly Field[],
  mine: FormValues,
  theirs: FormValues,
): ConflictingField[] {
  return fields
    .filter(({ name }) => !isSame(mine[name], theirs[name]))
    .map(({ name, label }) => ({ label, mine: textOf(mine[name]), theirs: textOf(theirs[name]) }));
}
