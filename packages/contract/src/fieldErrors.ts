import { z } from 'zod';
import { shownPath, type FieldError, type FieldErrorCode } from './errors.js';

/**
 * A rule of a schema: its message and code, for `refine` and for an issue of `superRefine`. A new object each
 * time, because `refine` changes it.
 */
export function rule(message: string, code: FieldErrorCode) {
  return { message, params: { code } };
}

const REQUIRED = 'is required';
const EMPTY = 'must not be empty';
const UNKNOWN = 'is not a known field';
/** A body may have a hundred thousand unknown fields, and a response lists a hundred. */
const UNKNOWN_MAX = 1000;

const TYPES: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'a boolean',
  array: 'an array',
  tuple: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const FORMATS: Record<string, string> = {
  email: 'an email address',
  datetime: 'an ISO 8601 date and time with Z or an offset',
  date: 'an ISO 8601 date',
  url: 'an absolute URL',
};

type RawIssue = z.core.$ZodRawIssue;
type Issue = z.core.$ZodIssue;
type Limit = z.core.$ZodIssueTooBig | z.core.$ZodIssueTooSmall;

const joinOptions = (options: readonly string[]) =>
  options.length < 2 ? options.join('') : `${options.slice(0, -1).join(', ')} or ${options.at(-1)}`;

function describeValues(values: readonly unknown[]): string {
  return values.length === 1
    ? `must be ${String(values[0])}`
    : `must be one of ${values.map(String).join(', ')}`;
}

/** The units in which zod counts a value; undefined for a number. */
function unitsOf(origin: string): string | undefined {
  if (origin === 'string') return 'characters';
  return origin === 'array' || origin === 'set' || origin === 'tuple' ? 'items' : undefined;
}

type LimitRule = Pick<Limit, 'origin' | 'exact' | 'inclusive' | 'code'>;

function describeLimit(limit: bigint | number, { origin, exact, inclusive, code }: LimitRule): string {
  const isMaximum = code === 'too_big';
  const units = unitsOf(origin);
  if (units === undefined) {
    if (inclusive === false) return `must be ${isMaximum ? 'less' : 'more'} than ${limit}`;
    return `must be ${limit} or ${isMaximum ? 'less' : 'more'}`;
  }
  if (!isMaximum && Number(limit) === 1) return EMPTY;
  const verb = units === 'items' ? 'must have' : 'must be';
  if (exact) return `${verb} exactly ${limit} ${units}`;
  return `${verb} ${limit} ${units} or ${isMaximum ? 'fewer' : 'more'}`;
}

/** The issues of the only option whose type the value has; null if no or several options have its type. */
function issuesOfMatchingOption(options: readonly Issue[][]): Issue[] | null {
  const matching = options.filter((issues) => !issues.some(isWrongKind));
  return matching.length === 1 ? (matching[0] ?? null) : null;
}

/** Whether an option does not fit the value as a whole. */
function isWrongKind({ code, path }: Issue): boolean {
  return path.length === 0 && (code === 'invalid_type' || code === 'invalid_value');
}

function describeUnion(issue: z.core.$ZodRawIssue<z.core.$ZodIssueInvalidUnion>): string {
  const { discriminator, options } = issue as { discriminator?: string; options?: unknown[] };
  if (discriminator !== undefined && options !== undefined) {
    const isAbsent = (issue.input as Record<string, unknown>)[discriminator] === undefined;
    return isAbsent ? REQUIRED : describeValues(options);
  }
  if (issue.input === undefined) return REQUIRED;
  const faults: Issue[][] = issue.errors;
  if (!faults.every((issues) => issues.some(isWrongKind))) return 'does not have one of the allowed forms';
  const messages = faults.flatMap((issues) => issues.filter(isWrongKind).slice(0, 1));
  const wanted = new Set(messages.map(({ message }) => message.replace(/^must be /, '')));
  return `must be ${joinOptions([...wanted])}`;
}

/** The message for a fault whose rule has no message of its own. */
function describeIssue(issue: RawIssue): string {
  const { code } = issue;
  if (code === 'invalid_union') return describeUnion(issue);
  if (code === 'too_big') return describeLimit(issue.maximum, issue);
  if (code === 'too_small') return describeLimit(issue.minimum, issue);
  if (code === 'not_multiple_of') return `must be a multiple of ${issue.divisor}`;
  // Names the fields, for readers of a whole issue. A field error has its own place and message.
  if (code === 'unrecognized_keys') return `has unknown fields: ${issue.keys.join(', ')}`;
  if (code === 'invalid_key') return `has a key that ${issue.issues[0]?.message ?? 'is not allowed'}`;
  if (code === 'invalid_format') {
    return issue.format in FORMATS ? `must be ${FORMATS[issue.format]}` : 'does not have the required format';
  }
  const isAbsent = issue.input === undefined;
  if (code === 'invalid_type')
    return isAbsent ? REQUIRED : `must be ${TYPES[issue.expected] ?? issue.expected}`;
  if (code === 'invalid_value') return isAbsent ? REQUIRED : describeValues(issue.values);
  return 'is not valid';
}

// The messages of zod describe its types and regular expressions. With this, no schema can return them.
z.config({ localeError: describeIssue });

const CODES: Record<Issue['code'], FieldErrorCode> = {
  invalid_type: 'type',
  invalid_value: 'enum',
  too_big: 'range',
  too_small: 'range',
  invalid_format: 'format',
  not_multiple_of: 'range',
  unrecognized_keys: 'unknown',
  invalid_key: 'format',
  invalid_element: 'invalid',
  invalid_union: 'type',
  custom: 'invalid',
};

function codeOf(issue: Issue): FieldErrorCode {
  if (issue.message === REQUIRED) return 'required';
  if (issue.code === 'custom') return (issue.params?.['code'] as FieldErrorCode | undefined) ?? 'invalid';
  if (issue.code === 'invalid_key' && issue.issues[0]) return codeOf(issue.issues[0]);
  if (issue.code === 'invalid_union' && 'discriminator' in issue) return 'enum';
  const isSize = (issue.code === 'too_big' || issue.code === 'too_small') && unitsOf(issue.origin);
  return isSize ? 'length' : CODES[issue.code];
}

/**
 * The options of a schema of an object without a field that belongs to another option of its union. They give
 * the reason for which this field is rejected.
 */
export function without(field: string, message: string) {
  const error = ({ code, keys }: RawIssue) =>
    code === 'unrecognized_keys' && Array.isArray(keys) && keys.includes(field)
      ? `${field} ${message}`
      : undefined;
  return { error };
}

function readUnknown(issue: z.core.$ZodIssueUnrecognizedKeys, key: string): Omit<FieldError, 'field'> {
  const own = `${key} `;
  const isExplained = issue.message.startsWith(own) && issue.message !== describeIssue(issue as RawIssue);
  if (isExplained) return { message: issue.message.slice(own.length), code: 'conflict' };
  return { message: UNKNOWN, code: codeOf(issue) };
}

function readIssue(issue: Issue, outer: readonly PropertyKey[]): FieldError[] {
  const path = [...outer, ...issue.path];
  if (issue.code === 'unrecognized_keys')
    return issue.keys
      .slice(0, UNKNOWN_MAX)
      .map((key) => ({ field: shownPath([...path, key]), ...readUnknown(issue, key) }));
  const matching = issue.code === 'invalid_union' ? issuesOfMatchingOption(issue.errors) : null;
  if (matching !== null) return matching.flatMap((inner) => readIssue(inner, path));
  return [{ field: shownPath(path), message: issue.message, code: codeOf(issue) }];
}

/** A text, a number or a list with one of these has one fault, whatever other rules it breaks too. */
const ONE_FAULT: readonly (FieldErrorCode | undefined)[] = ['type', 'length', 'format', 'range'];
/** The bounds of all whole numbers, which narrower ones replace. */
const WHOLE_NUMBERS = [Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER].map(String);

/** The faults of one field, without those that follow from another one. */
function distinctFaults(faults: FieldError[]): FieldError[] {
  if (faults.length === 1 || !faults.some(({ code }) => ONE_FAULT.includes(code))) return faults;
  const isNarrow = ({ message }: FieldError) => !WHOLE_NUMBERS.some((bound) => message.includes(bound));
  const found = faults.find(({ code }) => code === 'conflict') ?? faults.find(isNarrow) ?? faults[0];
  return found === undefined ? [] : [found];
}

/**
 * Lists the faults of a value as field errors, one for each fault. The fault of a union is that of its only
 * option with the type of the value.
 *
 * @param outer the path of the value in the request
 */
export function fieldErrorsOf({ issues }: z.ZodError, outer: readonly PropertyKey[] = []): FieldError[] {
  const byField = new Map<string, FieldError[]>();
  for (const fault of issues.flatMap((issue) => readIssue(issue, outer))) {
    const known = byField.get(fault.field);
    if (known) known.push(fault);
    else byField.set(fault.field, [fault]);
  }
  return [...byField.values()].flatMap(distinctFaults);
}
