const TABLES = 50;
const COLUMNS = {
  id: 'bigint',
  tenant_id: 'text',
  region: 'text',
  amount: 'numeric',
  created_at: 'timestamp with time zone',
};
/** Reads four governed tables in a CTE, joins and a subquery. */
export const SQL = `
  with recent as (select id, region, amount from table_1 where created_at > '2026-01-01')
  select c.region, sum(o.amount) as total, count(distinct r.id)
  from table_0 o
  join table_2 c on c.id = o.id
  left join recent r on r.region = c.region and r.amount > (select avg(amount) from table_3)
  group by c.region order by total desc limit 20`;

let statements = 0;
/** The statement with a literal that no other has. */
export const freshStatement = () => SQL.replace('2026-01-01', `2026-01-01 ${(statements += 1)}`);

export const catalog = {
  defaultSchema: 'public',
  schemas: [
    {
      name: 'public',
      tables: Array.from({ length: TABLES }, (_, table) => ({
        name: `table_${table}`,
        columns: Object.entries(COLUMNS).map(([name, type]) => ({ name, type })),
      })),
    },
  ],
};
const rule = (expression: string) => ({
  matcher: { type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' },
  expression,
});
export const rlsConfig = {
  rules: [
    rule('tenant_id = {{ tenant }}'),
    rule('region in ({{ regions }})'),
    rule('amount > {{ least }} or amount is null'),
  ],
};
