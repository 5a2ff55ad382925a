import { deprecationOf, type RouteDeprecation } from '@gatehouse/contract';
import type { z } from 'zod';

/** The page that describes the replacements of deprecated routes and fields. */
const LINK = '</docs>; rel="deprecation"; type="text/html"';

/**
 * Returns the headers of a deprecation: `Deprecation` (RFC 9745) with its start as a structured-field
 * date, and `Sunset` (RFC 8594) with the end of support as an HTTP date.
 */
export function writeDeprecation({ since, sunset }: RouteDeprecation): string[] {
  const sinceSeconds = Math.floor(Date.parse(since) / 1000);
  const end = new Date(sunset).toUTCString();
  return ['Deprecation', `@${sinceSeconds}`, 'Sunset', end, 'Link', LINK];
}

/** Returns the deprecated fields of an input with their headers, the earliest sunset date first. */
export function findDeprecatedFields(shape: Record<string, z.core.$ZodType>): Map<string, string[]> {
  const found = Object.entries(shape).flatMap(([field, schema]) => {
    const deprecation = deprecationOf(schema);
    return deprecation ? [{ field, deprecation }] : [];
  });
  const byEnd = found.toSorted((a, b) => Date.parse(a.deprecation.sunset) - Date.parse(b.deprecation.sunset));
  return new Map(byEnd.map(({ field, deprecation }) => [field, writeDeprecation(deprecation)]));
}
