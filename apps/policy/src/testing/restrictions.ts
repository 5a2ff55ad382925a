import type { Catalog, ParamValue, RlsMatcher } from '@gatehouse/contract';
import type { ResolvedRule, RestrictionRequest } from '../sql/logic/restriction.js';

const columns = (...names: string[]): { name: string; type: string }[] =>
  names.map((name) => ({ name, type: '' }));

function table(
  name: string,
  ...names: string[]
): { name: string; kind: 'table'; columns: ReturnType<typeof columns> } {
  return { name, kind: 'table', columns: columns(...names) };
}

/** A small shop. Rows of another tenant are marked in `region` and `name`. */
const SHOP: Catalog = {
  defaultSchema: 'public',
  schemas: [
    {
      name: 'public',
      tables: [
        table('orders', 'id', 'tenant_id', 'region', 'amount'),
        table('customers', 'id', 'tenant_id', 'name'),
        table('lookup', 'code', 'rank'),
        table('Odd Name', 'id', 'tenant_id', 'region'),
        table('bare'),
      ],
    },
    { name: 'sales', tables: [table('orders', 'id', 'tenant_id', 'region'), table('notes', 'id', 'body')] },
  ],
};

/** The statements that create the shop. Rows that belong only to the other tenant are called FOREIGN. */
export const SHOP_SQL = `
  CREATE SCHEMA sales;
  CREATE TABLE orders (id int, tenant_id text, region text, amount int);
  CREATE TABLE customers (id int, tenant_id text, name text);
  CREATE TABLE lookup (code text, rank int);
  CREATE TABLE "Odd Name" (id int, tenant_id text, region text);
  CREATE TABLE sales.orders (id int, tenant_id text, region text);
  CREATE TABLE sales.notes (id int, body text);
  INSERT INTO orders VALUES (1, 't1', 'own', 10), (2, 't1', 'own', 20), (3, 't2', 'FOREIGN', 30), (4, NULL, 'FOREIGN', 40);
  INSERT INTO customers VALUES (1, 't1', 'own'), (3, 't2', 'FOREIGN');
  INSERT INTO lookup VALUES ('t1', 1), ('t2', 2);
  INSERT INTO "Odd Name" VALUES (1, 't1', 'own'), (3, 't2', 'FOREIGN');
  INSERT INTO sales.orders VALUES (1, 't1', 'own'), (3, 't2', 'FOREIGN');
  INSERT INTO sales.notes VALUES (1, 'a note');
  CREATE FUNCTION leak(orders) RETURNS text LANGUAGE sql AS 'SELECT string_agg(region, '','') FROM public.orders';
  CREATE FUNCTION leak(lookup) RETURNS text LANGUAGE sql AS 'SELECT string_agg(region, '','') FROM public.orders';
  CREATE FUNCTION leak(anyelement) RETURNS text LANGUAGE sql AS 'SELECT string_agg(region, '','') FROM public.orders';
  CREATE FUNCTION lower(text, text) RETURNS text LANGUAGE sql AS 'SELECT string_agg(region, '','') FROM public.orders';
`;

export function ruleOf(
  expression: string,
  values: Record<string, ParamValue> = {},
  matcher: RlsMatcher = { type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' },
): ResolvedRule {
  return {
    name: expression,
    definitionId: null,
    assignmentId: null,
    source: 'persisted',
    matcher,
    expression,
    values: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, { value, source: 'assignment' as const }]),
    ),
    missing: [],
  };
}

/** Every table with a tenant column shows only the rows of `t1`. */
export const OWN_TENANT = ruleOf('tenant_id = {{ tenant }}', { tenant: 't1' });

export function shopRequest(sql: string | null, more: Partial<RestrictionRequest> = {}): RestrictionRequest {
  return {
    dialect: 'postgres',
    sql,
    entities: [],
    catalog: SHOP,
    isGoverned: true,
    pinnedSchema: null,
    allowedSchemas: null,
    rules: [OWN_TENANT],
    rowBarrier: false,
    ...more,
  };
}
