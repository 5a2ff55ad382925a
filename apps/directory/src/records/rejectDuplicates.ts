import { AppError } from '@gatehouse/contract';
import { duplicateKeysOf } from '@gatehouse/service';

/** The field and message to report for each unique index, by the last key of the index. */
type DuplicateMessages = Record<string, { field: string; message: string }>;

/**
 * Runs a write.
 *
 * @throws AppError CONFLICT with the field when the write violates a unique index in `messages`.
 */
export async function rejectDuplicates<T>(messages: DuplicateMessages, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const known = messages[duplicateKeysOf(error)?.at(-1) ?? ''];
    if (!known) throw error;
    const { field, message } = known;
    throw new AppError('CONFLICT', {
      message,
      fieldErrors: [{ field, message: 'is taken', code: 'duplicate' }],
      cause: error,
    });
  }
}
