import { z } from 'zod';
import type { RouteDeprecation } from './route.js';

const Deprecated = z.object({ deprecated: z.literal(true), since: z.iso.date(), sunset: z.iso.date() });

/**
 * Since when an input field is deprecated, and when it ends, as `.meta({ deprecated: true, since, sunset })` says of its
 * schema; null where it is not.
 */
export function deprecationOf(schema: z.core.$ZodType): RouteDeprecation | null {
  const meta = z.globalRegistry.get(schema);
  if (meta?.['deprecated'] === true) return Deprecated.parse(meta);
  const isWrapper =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return isWrapper ? deprecationOf(schema.unwrap()) : null;
}
