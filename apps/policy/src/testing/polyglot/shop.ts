import type { Catalog, ParamValue, RlsMatcher } from '@gatehouse/contract';
import type {
  ResolvedRule,
  Restriction,
  RestrictionRequest,
  SqlEngine,
} from '../../sql/logic/restriction.js';

const columns = (...names: string[]) =>
  names.map((name) => ({ name, type: name.endsWith('id') ? 'INTEGER' : 'VARCHAR(100)' }));

/** A shop: `orders`, `items` and `teams` contain rows of several tenants, `countries` is for all of them. */
export function shopCatalog(schema: string): Catalog {
  return {
    defaultSchema: schema,
    schemas: [
      {
        name: schema,
        tables: [
          { name: 'orders', kind: 'table', columns: columns('id', 'tenant_id', 'region', 'secret') },
          { name: 'items', kind: 'table', columns: columns('id', 'order_id', 'tenant_id', 'secret') },
          { name: 'countries', kind: 'table', columns: columns('id', 'name') },
        ],
      },
      { name: 'other', tables: [{ name: 'orders', kind: 'table', columns: columns('id', 'tenant_id') }] },
    ],
  };
}

export function rule(
  expression: string,
  values: Record<string, ParamValue> = {},
  matcher: RlsMatcher = { type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' },
): ResolvedRule {
  return {
    name: 'tenants',
    definitionId: null,
    assignmentId: null,
    source: 'persisted',
    matcher,
    expression,
    values: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, { value, source: 'token' }]),
    ),
    missing: [],
  };
}

/** Restricts a statement of the shop to tenant 1. */
export function restrictShop(
  engine: SqlEngine,
  sql: string | null,
  changes: Partial<RestrictionRequest> = {},
): Promise<Restriction> {
  const dialect = changes.dialect ?? 'sqlite';
  return engine.restrict({
    dialect,
    sql,
    entities: [],
    catalog: shopCatalog(dialect === 'mysql' ? 'shop' : 'main'),
    pinnedSchema: null,
    allowedSchemas: null,
    isGoverned: true,
    rules: [rule('tenant_id = {{ tenant }}', { tenant: 1 })],
    rowBarrier: false,
    ...changes,
  });
}
