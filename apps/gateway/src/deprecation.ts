import { deprecationOf, type RouteDeprecation } from '@gatehouse/contract';
import type { z } from 'zod';

/** The page that says what comes in the place of what is deprecated. */
const LINK = '</docs>; rel="deprecation"; type="text/html"';

/**
 * The headers that tell of a deprecation: `Deprecation` (RFC 9745) says since when, as a structured-field date, and
 * `Sunset` (RFC 8594) when it ends, as an HTTP date.
 */
export function writeDeprecation({ since, sunset }: RouteDeprecation): string[] {
  const sinceSeconds = Math.floor(Date.parse(since) / 1000);
  const end = new Date(sunset).toUTCString();
  return ['Deprecation', `@${sinceSeconds}`, 'Sunset', end, 'Link', LINK];
}

/** The deprecated fields of an input, with the headers that tell of them; the one that ends first comes first. */
export function findDeprecatedFields(shape: Record<string, z.core.$ZodType>): Map<string, string[]> {
  const found = Object.entries(shape).flatMap(([field, schema]) => {
    const deprecation = deprecationOf(schema);
    return deprecation ? [{ field, deprecation }] : [];
  });
  const byEnd = found.toSorted((a, b) => Date.parse(a.deprecation.sunset) - Date.parse(b.deprecation.sunset));
  return new Map(byEnd.map(({ field, deprecation }) => [field, writeDeprecation(deprecation)]));
}
