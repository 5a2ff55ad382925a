import { ERROR_STATUS, type ErrorCode, type RouteArea } from '@gatehouse/contract';
import { faultsOfBody, readErrorBody } from '../errorBodies.js';
import type { RawAnswer } from './rawRequests.js';

/** Patterns that reveal the implementation. Names begin a word, since a random id may contain them. */
const INTERNALS =
  /\b(?:mongo|E11000 |BSON|trpc|zod)|node_modules|ECONN|ENOENT|EPIPE|127\.0\.0\.1|localhost|\bat \S+ \(|file:\/\/|\.[cm]?[jt]s:\d|TypeError|RangeError|SyntaxError|\b(?:nats|ws):\/\//i;

/** The expected error of a response. */
export interface Refusal {
  /** Whose form the body has. */
  area: RouteArea;
  /** Any of these. */
  codes: readonly ErrorCode[];
  /** The body has to name one of these fields. */
  named?: readonly string[] | undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A random id reveals nothing internal, independent of its letters. */
function withoutRequestId(text: string, headers: RawAnswer['headers']): string {
  const id = headers['x-request-id'];
  return typeof id === 'string' ? text.replaceAll(id, '') : text;
}

/** The fault of an error's body: its form, to the last field, or internals that it reveals. Null for none. */
export function judgeErrorBody({ status, headers, text }: RawAnswer, area: RouteArea): string | null {
  if (headers['content-type'] !== 'application/json') return `is ${headers['content-type']}`;
  const internal = INTERNALS.exec(withoutRequestId(text, headers))?.[0];
  if (internal !== undefined) return `reveals "${internal}"`;
  const body = parse(text);
  const faults = faultsOfBody(area, body);
  if (faults.length > 0) return `has another form: ${JSON.stringify(faults)}`;
  const { requestId, code } = readErrorBody(area, body);
  if (requestId !== headers['x-request-id']) return 'does not repeat its request id';
  return code !== undefined && ERROR_STATUS[code] !== status ? `says ${code}` : null;
}

/** The fault of a response that must be an error, as a sentence; null for none. */
export function judgeRefusal(answer: RawAnswer, { area, codes, named }: Refusal): string | null {
  const wanted = codes.map((code) => ERROR_STATUS[code]);
  if (!wanted.includes(answer.status as (typeof wanted)[number])) {
    return `${answer.status}, not ${wanted.join(' or ')}: ${answer.text}`;
  }
  const fault = judgeErrorBody(answer, area);
  if (fault !== null) return `the body ${fault}: ${answer.text}`;
  if (named === undefined) return null;
  const { fields } = readErrorBody(area, JSON.parse(answer.text));
  if (fields.some((field) => named.includes(field))) return null;
  return `names ${fields.join(', ') || 'nothing'}, not ${named.join(' or ')}`;
}
