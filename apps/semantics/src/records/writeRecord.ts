import {
  AppError,
  type CloudEvent,
  type EventData,
  type EventType,
  type FieldError,
} from '@gatehouse/contract';
import { createEvent, duplicateKeysOf, originOf, type CallContext } from '@gatehouse/service';

/** The event of a principal's write. Its subject is the record. */
export function createRecordEvent<T extends EventType>(
  type: T,
  data: EventData<T> & { id: string },
  context: CallContext,
): CloudEvent {
  return createEvent(type, data.id, { origin: originOf('semantics', context), data });
}

/** Throws INVALID_REQUEST when there are faults; `prefix` is prepended to each field. */
export function rejectFaults(faults: readonly FieldError[], prefix = ''): void {
  if (faults.length === 0) return;
  const fieldErrors = faults.map((fault) => ({ ...fault, field: prefix + fault.field }));
  throw new AppError('INVALID_REQUEST', { fieldErrors });
}

/** Runs a write. Throws CONFLICT when another record of the project has the name. */
export async function rejectTakenName<T>(noun: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (duplicateKeysOf(error)?.at(-1) !== 'name') throw error;
    throw new AppError('CONFLICT', {
      message: `The project has a ${noun} of this name`,
      fieldErrors: [{ field: 'name', message: 'is taken', code: 'duplicate' }],
      cause: error,
    });
  }
}

/** The most records of one noun in a project: their lists are not paged. */
const RECORDS_MAX = 1000;

/** Throws CONFLICT when the project has reached the limit of records in a store. */
export async function requireRoom(
  store: { count(projectId: string, limit: number): Promise<number> },
  projectId: string,
  noun: string,
): Promise<void> {
  if ((await store.count(projectId, RECORDS_MAX)) < RECORDS_MAX) return;
  throw new AppError('CONFLICT', { message: `A project has at most ${RECORDS_MAX} ${noun}s` });
}
