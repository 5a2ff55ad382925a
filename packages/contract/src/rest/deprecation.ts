import { z } from 'zod';
import type { RouteDeprecation } from './route.js';

const Deprecated = z.object({ deprecated: z.literal(true), since: z.iso.date(), sunset: z.iso.date() });

/**
 * The start and the end of an input field's deprecation, from `.meta({ deprecated: true, since, sunset })` of
 * its schema; null if it is not deprecated.
 */
export function deprecationOf(schema: z.core.$ZodType): RouteDeprecation | null {
  const meta = z.globalRegistry.get(schema);
  if (meta?.['deprecated'] === true) return Deprecated.parse(meta);
  const isWrapper =
    schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault;
  return isWrapper ? deprecationOf(schema.unwrap()) : null;
}
