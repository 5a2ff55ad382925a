import { AppError } from '@gatehouse/contract';

/** The most bytes of templates that one call reads. */
const TEMPLATES_BYTES_MAX = 32 * 1024 * 1024;
/** What a record counts besides its template: about the size of its other fields. */
const RECORD_BYTES = 256;

/**
 * Creates a function that reads records with their templates. All of its calls share one limit, because the
 * templates of a project may have gigabytes. Throws INVALID_REQUEST above it: a part of them would be wrong.
 */
export function createTemplatedReader() {
  let bytesLeft = TEMPLATES_BYTES_MAX;
  return async <T extends { template: string }>(records: AsyncIterable<T>): Promise<T[]> => {
    const found: T[] = [];
    for await (const record of records) {
      bytesLeft -= RECORD_BYTES + Buffer.byteLength(record.template);
      if (bytesLeft < 0) throw tooLarge();
      found.push(record);
    }
    return found;
  };
}

function tooLarge(): AppError {
  const message =
    'The templates of semantic domains and data models that are read for one request must have ' +
    `${TEMPLATES_BYTES_MAX} bytes or fewer: delete unused ones, or distribute them over several projects`;
  return new AppError('INVALID_REQUEST', { message });
}
