import type { Coverage } from '@gatehouse/contract';

/** The tables of a connection that no row rule restricts, as `schema.table`. */
export interface OpenTables {
  /** Those that a tenant or its users read whole, or everyone. */
  tenants: string[];
  /** The others, which only users of the organization read whole. */
  staff: string[];
}

/** Sorts the tables that actors read whole by who reads them. */
export function openTables(
  actors: readonly Pick<Coverage, 'actor' | 'ungoverned'>[],
  isOpenToEveryone = false,
): OpenTables {
  const tenants = new Set<string>();
  const staff = new Set<string>();
  for (const { actor, ungoverned } of actors) {
    const found = actor.kind === 'ORG_USER' && !isOpenToEveryone ? staff : tenants;
    for (const { schema, table } of ungoverned) found.add(`${schema}.${table}`);
  }
  return {
    tenants: [...tenants].toSorted(),
    staff: [...staff].filter((table) => !tenants.has(table)).toSorted(),
  };
}
