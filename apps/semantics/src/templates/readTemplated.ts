import { setImmediate } from 'node:timers/promises';
import { AppError } from '@gatehouse/contract';
import { TURN_CHARACTERS } from './parseInTurns.js';

/** The most bytes of templates that one call reads. */
const TEMPLATES_BYTES_MAX = 32 * 1024 * 1024;
/** What a record counts besides its template: about the size of its other fields. */
const RECORD_BYTES = 256;

/**
 * Creates a function that reads records with their templates. All of its calls share one limit, because the
 * templates of a project may have gigabytes. Throws INVALID_REQUEST above it: a part of them would be wrong.
 * Other calls run in between, because the database sends many megabytes at once.
 */
export function createTemplatedReader() {
  let bytesLeft = TEMPLATES_BYTES_MAX;
  return async <T extends { template: string }>(records: AsyncIterable<T>): Promise<T[]> => {
    const found: T[] = [];
    let turnLeft = TURN_CHARACTERS;
    for await (const record of records) {
      bytesLeft -= RECORD_BYTES + Buffer.byteLength(record.template);
      if (bytesLeft < 0) throw tooLarge();
      found.push(record);
      turnLeft -= record.template.length;
      if (turnLeft > 0) continue;
      await setImmediate();
      turnLeft = TURN_CHARACTERS;
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
