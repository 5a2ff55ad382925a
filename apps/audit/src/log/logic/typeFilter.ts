import type { AuditOutcome } from '@gatehouse/contract';
import { readType } from './chain.js';

/** Conditions on the type of an entry. */
export interface TypeFilter {
  /** A type in which `*` matches any one token; without a version, any version matches. */
  type?: string | undefined;
  resourceType?: string | undefined;
  outcome?: AuditOutcome | undefined;
}

function matches(pattern: string, type: string): boolean {
  const wanted = pattern.split('.');
  const tokens = type.split('.');
  return wanted.every((token, index) => token === '*' || token === tokens[index]);
}

/** Whether the filter has a condition that must be resolved to the existing types. */
export function hasTypeFilter({ type, resourceType, outcome }: TypeFilter): boolean {
  return type !== undefined || resourceType !== undefined || outcome !== undefined;
}

/** The types that match the filter. */
export function selectTypes(types: readonly string[], filter: TypeFilter): string[] {
  const { type: pattern, resourceType, outcome } = filter;
  return types.filter((type) => {
    const known = readType(type);
    return (
      (pattern === undefined || matches(pattern, type)) &&
      (resourceType === undefined || resourceType === known.resourceType) &&
      (outcome === undefined || outcome === known.outcome)
    );
  });
}
