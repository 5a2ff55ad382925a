import { isUtf8 } from 'node:buffer';
import { type AppError, invalidField } from '@gatehouse/contract';
import { JsonReader } from './jsonReader.js';

/** What a fault that is in no field is named by. */
const WHOLE_BODY = 'body';

/** The number of bytes before the first that is no UTF-8: what a lenient decoder changes there. */
function countValidBytes(bytes: Buffer): number {
  const repaired = Buffer.from(bytes.toString('utf8'), 'utf8');
  const length = Math.min(bytes.length, repaired.length);
  for (let index = 0; index < length; index += 1) {
    if (bytes[index] !== repaired[index]) return index;
  }
  return length;
}

function invalidUtf8(bytes: Buffer): AppError {
  const readable = bytes.toString('utf8', 0, countValidBytes(bytes));
  const place = new JsonReader(readable).findFault()?.field;
  return invalidField(place || WHOLE_BODY, 'is not valid UTF-8');
}

/**
 * Parses a body as one JSON object.
 *
 * Stricter than `JSON.parse`: refuses what is no UTF-8, a key given twice or named `__proto__`, and more than 64 levels.
 *
 * @throws INVALID_REQUEST naming the field that the fault is in, or `body` where it is in none.
 */
export function parseStrictJson(bytes: Buffer): Record<string, unknown> {
  if (!isUtf8(bytes)) throw invalidUtf8(bytes);
  const text = bytes.toString('utf8');
  const fault = new JsonReader(text).findFault();
  if (fault) throw invalidField(fault.field || WHOLE_BODY, fault.message);
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw invalidField(WHOLE_BODY, 'must be a JSON object');
}
