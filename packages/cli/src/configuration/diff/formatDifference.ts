import { isDeepStrictEqual } from 'node:util';
import { nameOf, shareKey, type Fields, type ShareFields } from '../model/records.js';
import { showable } from '../../terminal.js';
import type { Change, Difference, FieldChange } from './changes.js';

/** Longer values are cut: a template may be a mebibyte. */
const MAX_LENGTH = 80;
/** Differences inside of one field that are shown. */
const MAX_PLACES = 20;

function shorten(value: unknown): string {
  const text = value === undefined ? '(none)' : JSON.stringify(value);
  return showable(text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH - 1)}…`);
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

interface Place {
  path: string;
  before: unknown;
  after: unknown;
}

/** The places inside of two values in which they differ. */
function findPlaces(path: string, before: unknown, after: unknown): Place[] {
  if (isDeepStrictEqual(before, after)) return [];
  const isSameForm =
    isContainer(before) && isContainer(after) && Array.isArray(before) === Array.isArray(after);
  if (!isSameForm) return [{ path, before, after }];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const place = Array.isArray(before) ? `${path}[${name}]` : `${path}.${name}`;
    return findPlaces(place, Reflect.get(before, name), Reflect.get(after, name));
  });
}

const shareText = (share: ShareFields) =>
  `${shareKey(share)}: ${share.role}${share.expiresAt === undefined ? '' : ` until ${share.expiresAt}`}`;

function linesOf(change: FieldChange): string[] {
  if ('added' in change) {
    const text = (entry: string | ShareFields) =>
      showable(typeof entry === 'string' ? entry : shareText(entry));
    const added = change.added.map((entry) => `    ${change.field}: + ${text(entry)}`);
    const removed = change.removed.map((entry) => `    ${change.field}: - ${text(entry)}`);
    return [...removed, ...added];
  }
  const places = findPlaces(change.field, change.before, change.after);
  const lines = places
    .slice(0, MAX_PLACES)
    .map(({ path, before, after }) => `    ${showable(path)}: ${shorten(before)} → ${shorten(after)}`);
  const hidden = places.length - lines.length;
  return hidden > 0 ? [...lines, `    ${showable(change.field)}: ${hidden} more differences`] : lines;
}

const SIGNS = { create: '+', update: '~', delete: '-' } as const;

const isEmpty = (value: unknown) =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

function createdLines(fields: Fields): string[] {
  const shown = Object.entries(fields).filter(([, value]) => !isEmpty(value));
  return shown.map(([field, value]) => `    ${showable(field)}: ${shorten(value)}`);
}

function formatChange(change: Change): string[] {
  const head = `${SIGNS[change.action]} ${change.action} ${showable(nameOf(change))}`;
  if (change.action === 'update') return [head, ...change.fields.flatMap(linesOf)];
  return change.action === 'create' ? [head, ...createdLines(change.fields)] : [head];
}

export type Summary = Record<Change['action'], number>;

export function summarize(changes: readonly Change[]): Summary {
  const count = (action: Change['action']) => changes.filter((change) => change.action === action).length;
  return { create: count('create'), update: count('update'), delete: count('delete') };
}

/** The difference for people. */
export function formatDifference({ changes, unmanaged, problems }: Difference): string {
  const counts = summarize(changes);
  const total =
    changes.length === 0
      ? 'No differences.'
      : `${counts.create} to create, ${counts.update} to update, ${counts.delete} to delete.`;
  const extra = unmanaged.slice(0, MAX_PLACES).map((record) => `? ${showable(nameOf(record))}`);
  const kept =
    unmanaged.length === 0
      ? []
      : [`${unmanaged.length} only in the project (?), which --prune would delete.`];
  return [
    ...changes.flatMap(formatChange),
    ...extra,
    ...problems.map((text) => `! ${showable(text)}`),
    total,
    ...kept,
  ]
    .map((line) => `${line}\n`)
    .join('');
}
