import { ID_PREFIXES } from '@gatehouse/contract';
import { sendRequest } from '../api.js';
import type { Probe } from './questions.js';

/** A request by one caller. */
export interface Question extends Probe {
  caller: string;
  token: string | null;
}

const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;
const COMMIT = /\b[0-9a-f]{40,64}\b/g;
/** Of records that the platform named itself. */
const ID = new RegExp(`\\b(?:${Object.values(ID_PREFIXES).join('|')})[\\w-]{16}(?![\\w-])`, 'g');
const EVENT_ID = /^[\w-]{16}$/;
/** Fields with a random or measured value, which does not depend on a record. */
const RANDOM_FIELDS = new Set([
  'requestId',
  'secret',
  'accessToken',
  'jti',
  'tokenId',
  'eventId',
  'durationMs',
]);
const RANDOM_HEADERS = new Set(['date', 'x-request-id', 'content-length', 'keep-alive', 'connection']);

function decodeCursor(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return cursor;
  }
}

function readable(key: string, value: unknown): unknown {
  if (key === 'id' && typeof value === 'string' && EVENT_ID.test(value)) return 'event id';
  if (RANDOM_FIELDS.has(key)) return typeof value;
  // The code of a sign-in; those of errors are short.
  if (key === 'code' && typeof value === 'string' && value.length > 40) return 'code';
  return key === 'nextCursor' && typeof value === 'string' ? decodeCursor(value) : value;
}

/** The response without what differs between any two responses. Ids that existed before stay. */
function normalize(text: string, known: ReadonlySet<string>): string {
  const fresh = new Map<string, string>();
  const name = (found: string) => {
    if (known.has(found)) return found;
    fresh.set(found, fresh.get(found) ?? `<new ${fresh.size}>`);
    return fresh.get(found) ?? '';
  };
  return text.replaceAll(MOMENT, '<moment>').replaceAll(ID, name).replaceAll(COMMIT, '<hash>');
}

/** All that a caller can see of a response, as one text. */
export async function observe(
  baseUrl: string,
  { token, method, path, body, headers }: Question,
  known: ReadonlySet<string>,
): Promise<string> {
  const answer = await sendRequest<unknown>(baseUrl, [method, path], {
    ...(body === '' ? {} : { rawBody: body }),
    headers: {
      ...(body === '' ? {} : { 'content-type': 'application/json' }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
  const sent = [...answer.headers]
    .filter(([name]) => !RANDOM_HEADERS.has(name))
    // The tag of a record that was just written contains the time: only its version is compared.
    .map(([name, value]) => [name, name === 'etag' && method !== 'GET' ? value.replace(/-.*/, '') : value]);
  const text = JSON.stringify({ status: answer.status, body: answer.body, headers: sent }, readable);
  return normalize(text.replaceAll(new URL(baseUrl).origin, '<base>'), known);
}
