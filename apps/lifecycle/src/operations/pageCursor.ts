import { invalidField } from '@gatehouse/contract';

/** What the pages of one batch agree on, and where the next begins. */
export interface BatchPosition {
  /** The last dashboard of the page before. */
  afterId: string;
  /** The dashboards of the whole batch, as the first page counted them. */
  total: number;
}

/** Writes a position as a text. Callers hand it back as it is. */
export function encodePosition({ afterId, total }: BatchPosition): string {
  return Buffer.from(JSON.stringify([afterId, total])).toString('base64url');
}

/** Throws INVALID_REQUEST, naming `cursor`, for any text that `encodePosition` did not write. */
export function decodePosition(cursor: string): BatchPosition {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, afterId, total] = /^\["([\w-]{1,64})",(\d{1,9})\]$/.exec(text) ?? [];
  const position = { afterId: afterId ?? '', total: Number(total) };
  if (afterId === undefined || encodePosition(position) !== cursor)
    throw invalidField('cursor', 'is not a cursor of this batch');
  return position;
}
