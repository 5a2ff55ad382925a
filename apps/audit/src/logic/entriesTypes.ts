import type { AuditOutcome } from '@gatehouse/contract';
import { readType } from './hashChain.js';

/** What may be asked of the type of an entry. */
export interface TypeFilter {
  /** A type in which `*` stands for any one token; without a version, any. */
  type?: string | undefined;
  resourceType?: string | undefined;
  outcome?: AuditOutcome | undefined;
}

function matches(pattern: string, type: string): boolean {
  const wanted = pattern.split('.');
  const tokens = type.split('.');
  return wanted.every((token, index) => token === '*' || token === tokens[index]);
}

/** Whether anything is asked of the type that cannot be told without knowing which types there are. */
export function needsTypes({ type, resourceType, outcome }: TypeFilter): boolean {
  return type !== undefined || resourceType !== undefined || outcome !== undefined;
}

/** Those of the types that meet the filter. */
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
