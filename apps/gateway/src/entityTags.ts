import { crc32 } from 'node:zlib';
import { readField } from '@gatehouse/contract';
import type { IfMatch } from '@gatehouse/service';

/** The tags of `entityTagOf`; the version is what `If-Match` is about. */
const STRONG_TAG = /^"(\d{1,15})-[0-9a-f]{8}"$/;

/**
 * The strong entity tag (RFC 9110) of an answer's record, which `record` names as `data.definition`: its version, and a checksum because two callers may be shown
 * the same version differently. Null when the answer holds no record with a version.
 */
export function entityTagOf(output: unknown, record: string, body: string): string | null {
  const version = readField(output, `${record}.version`);
  if (typeof version !== 'number') return null;
  return `"${version}-${crc32(body).toString(16).padStart(8, '0')}"`;
}

/** The versions that an `If-Match` header allows. A weak tag, or one that Gatehouse never made, allows none. */
export function parseIfMatch(header: string | undefined): IfMatch | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  return header.split(',').flatMap((tag) => {
    const version = STRONG_TAG.exec(tag.trim())?.[1];
    return version === undefined ? [] : [Number(version)];
  });
}

/** Whether an `If-None-Match` header names the tag, compared weakly as RFC 9110 asks. */
export function matchesNone(header: string, entityTag: string): boolean {
  return header.split(',').some((given) => {
    const tag = given.trim();
    return tag === '*' || tag === entityTag || tag === `W/${entityTag}`;
  });
}
