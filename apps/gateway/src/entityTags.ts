import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { findProcedure, readField, type Route } from '@gatehouse/contract';
import type { IfMatch } from '@gatehouse/service';
import { z } from 'zod';

/** Matches the tags of `entityTagOf`. `If-Match` compares only the version. */
const STRONG_TAG = /^"(\d{1,15})-[0-9a-f]{8}"$/;

const RECORD_CACHE = 'private, no-cache';

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

/** Returns the strong entity tag of a response that is the same for every caller. */
export function contentTagOf(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
}

/**
 * Returns the fields of a value that a schema has, in their order: of the output of a write, what reading the
 * record returns. It is the value itself if the schema has all of them.
 */
function keepFields(schema: z.core.$ZodType | undefined, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return keepFields(schema.unwrap(), value);
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null) return value;
  const { shape } = schema;
  let isWhole = true;
  const kept: [string, unknown][] = [];
  for (const [key, child] of Object.entries(value)) {
    const keptChild = Object.hasOwn(shape, key) ? keepFields(shape[key], child) : undefined;
    isWhole &&= keptChild === child;
    if (Object.hasOwn(shape, key)) kept.push([key, keptChild]);
  }
  return isWhole ? value : Object.fromEntries(kept);
}

/** Returns the tag and cache rule of a response. The tag of a write is the one of reading the record next. */
export function cachingOf(
  { route, recordRoute }: { route: Route; recordRoute: Route | null },
  output: unknown,
  body: string,
): { entityTag: string | null; cacheControl?: string } {
  const { method, record, cacheSeconds } = route;
  if (cacheSeconds !== undefined)
    return { entityTag: contentTagOf(body), cacheControl: `public, max-age=${cacheSeconds}` };
  if (record === undefined) return { entityTag: null };
  if (!recordRoute) {
    const entityTag = entityTagOf(output, record, body);
    return method === 'GET' && entityTag !== null ? { entityTag, cacheControl: RECORD_CACHE } : { entityTag };
  }
  const shown = keepFields(findProcedure(recordRoute.procedure).output, output);
  return { entityTag: entityTagOf(output, record, shown === output ? body : JSON.stringify(shown)) };
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
