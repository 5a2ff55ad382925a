import { crc32 } from 'node:zlib';
import { readField } from '@gatehouse/contract';
import type { IfMatch } from '@gatehouse/service';

/** Matches the tags of `entityTagOf`. `If-Match` compares only the version. */
const STRONG_TAG = /^"(\d{1,15})-[0-9a-f]{8}"$/;

/**
 * Returns the strong entity tag (RFC 9110) of the record in a response. It consists of the version and a
 * checksum, because two callers may see the same version differently. Returns null if there is no record
 * with a version.
 *
 * @param record the path of the record in `output`, such as `data.definition`
 */
export function entityTagOf(output: unknown, record: string, body: string): string | null {
  const version = readField(output, `${record}.version`);
  if (typeof version !== 'number') return null;
  return `"${version}-${crc32(body).toString(16).padStart(8, '0')}"`;
}

/** Returns the versions that an `If-Match` header allows. Weak and foreign tags allow none. */
export function parseIfMatch(header: string | undefined): IfMatch | undefined {
  if (header === undefined) return undefined;
  if (header.trim() === '*') return '*';
  return header.split(',').flatMap((tag) => {
    const version = STRONG_TAG.exec(tag.trim())?.[1];
    return version === undefined ? [] : [Number(version)];
  });
}

/** Returns true if an `If-None-Match` header contains the tag, by the weak comparison of RFC 9110. */
export function matchesNone(header: string, entityTag: string): boolean {
  return header.split(',').some((given) => {
    const tag = given.trim();
    return tag === '*' || tag === entityTag || tag === `W/${entityTag}`;
  });
}
