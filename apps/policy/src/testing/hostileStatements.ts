const repeat = (count: number, part: (index: number) => string, separator = ', ') =>
  Array.from({ length: count }, (_, index) => part(index)).join(separator);

/** `depth` nested parts around a core. */
const nested = (depth: number, [before, after]: readonly [string, string], core: string) =>
  before.repeat(depth) + core + after.repeat(depth);

/**
 * Statements that grow with a number in ways that make a compiler work. Each must succeed or be refused, at a
 * cost that is at most linear in its length. `seed` makes a statement that no cache contains.
 */
export const HOSTILE_STATEMENTS: Readonly<Record<string, (size: number, seed: number) => string>> = {
  'FROM items': (size, seed) => `select ${seed} from ${repeat(size, (index) => `orders a${index}`)}`,
  joins: (size, seed) => `select ${seed} from ${repeat(size, (index) => `orders a${index}`, ' cross join ')}`,
  'FROM items in many subqueries': (size, seed) =>
    `select ${seed} where ${repeat(size / 100, () => `exists (select 1 from ${repeat(100, (index) => `orders a${index}`)})`, ' and ')}`,
  stars: (size, seed) => `select ${seed}, ${repeat(size, () => '*')} from orders`,
  'stars through WITH': (size, seed) =>
    `with a as (select ${repeat(size / 20, () => '*')} from orders), b as (select ${repeat(size / 20, () => '*')} from a), ` +
    `${repeat(8, (index) => `c${index} as (select ${repeat(size / 10, () => '*')} from b)`)} select ${seed}`,
  'stars through subqueries': (size, seed) =>
    `select ${seed} from ${nested(8, [`(select ${repeat(size / 20, () => '*')} from `, ') x'], 'orders y')}`,
  'stars through set operations': (size, seed) =>
    repeat(8, () => `select ${seed}, ${repeat(size / 20, () => '*')} from orders a, orders b`, ' union all '),
  subqueries: (size, seed) =>
    `select ${seed} where ${repeat(size, () => 'exists (select 1 from orders)', ' and ')}`,
  'scalar subqueries': (size, seed) =>
    `select ${seed}, ${repeat(size, () => '(select max(id) from orders)')}`,
  'set operations': (size, seed) => repeat(size, () => `select ${seed} from orders`, ' union all '),
  'WITH queries': (size, seed) =>
    `with ${repeat(size, (index) => `a${index} as (select 1 as b)`)} select ${seed}`,
  'a chain of WITH queries': (size, seed) =>
    `with a0 as (select * from orders), ${repeat(size, (index) => `a${index + 1} as (select * from a${index})`)} select ${seed}`,
  'WITH queries beside nested ones': (size, seed) =>
    `with ${repeat(size / 2, (index) => `a${index} as (select 1 as b)`)} ` +
    `select ${seed} where ${repeat(size / 2, () => 'exists (with c as (select 1 as d) select * from c)', ' and ')}`,
  'recursive WITH queries': (size, seed) =>
    `with recursive ${repeat(size, (index) => `a${index} as (select 1 as b)`)} select ${seed}`,
  'nested subqueries': (size, seed) =>
    `select ${seed} from ${nested(size / 10, ['(select * from ', ') x'], 'orders y')}`,
  parentheses: (size, seed) => `select ${nested(size, ['(', ')'], String(seed))}`,
  'NOT chains': (size, seed) => `select ${seed} where ${'not '.repeat(size)} 1 = 1`,
  'operator chains': (size, seed) => `select ${seed} ${repeat(size, () => '+ 1', ' ')}`,
  'operator chains on a long string': (size, seed) =>
    `select ${seed} || '${'x'.repeat(size * 10)}' ${repeat(Math.min(size, 600), () => "|| 'a'", ' ')}`,
  'AND chains': (size, seed) =>
    `select ${seed} from orders where ${repeat(size, (index) => `id = ${index}`, ' and ')}`,
  'CASE branches': (size, seed) =>
    `select ${seed}, case ${repeat(size, (index) => `when id = ${index} then 1`, ' ')} end from orders`,
  'IN lists': (size, seed) => `select ${seed} from orders where id in (${repeat(size * 10, String)})`,
  'IN lists of expressions': (size, seed) =>
    `select ${seed} from orders where id in (${repeat(size, () => 'id')})`,
  'select lists': (size, seed) => `select ${seed}, ${repeat(size, (index) => `id as c${index}`)} from orders`,
  'ORDER BY lists': (size, seed) => `select ${seed} from orders order by ${repeat(size, () => 'id')}`,
  'qualified columns': (size, seed) =>
    `select ${seed} from orders a, orders b where ${repeat(size, () => 'a.id = b.id', ' and ')}`,
  'tables that are not known': (size, seed) =>
    `select ${seed} where ${repeat(size, (index) => `exists (select 1 from t${index})`, ' and ')}`,
  'long names': (size, seed) => `select ${seed} as ${'x'.repeat(size * 50)} from orders`,
  'long strings': (size, seed) => `select ${seed}, '${'x'.repeat(size * 50)}' from orders`,
  'many quotes': (size, seed) => `select ${seed}, ${"''".repeat(size * 10)}`,
  'an open quote': (size, seed) => `select ${seed}, ${`"a" 'b' `.repeat(size)}'`,
  comments: (size, seed) => `select ${seed} ${'/* a */ '.repeat(size)} from orders`,
  'open comments': (size, seed) => `select ${seed} ${'/* '.repeat(size)} from orders`,
  placeholders: (size, seed) => `select ${seed} from orders where id in (${repeat(size, () => '?')})`,
  'numbered parameters': (size, seed) =>
    `select ${seed} from orders where id in (${repeat(size, (index) => `$${index + 1}`)})`,
  statements: (size, seed) => repeat(size, () => `select ${seed}`, '; '),
  windows: (size, seed) =>
    `select ${seed}, ${repeat(size, () => 'row_number() over (order by id)')} from orders`,
  casts: (size, seed) => `select ${seed}, ${repeat(size, () => 'cast(id as char)')} from orders`,
  'signs without a meaning': (size, seed) => `select ${seed} ${'@#$%^&'.repeat(size)}`,
};

/** Rules that grow with a number. */
export const HOSTILE_RULES: Readonly<Record<string, (size: number) => string>> = {
  'an IN list': (size) => `tenant_id in (${repeat(size, String)})`,
  'an OR chain': (size) => repeat(size, (index) => `tenant_id = ${index}`, ' or '),
  'a NOT chain': (size) => `${'not '.repeat(size)} tenant_id = 1`,
  parentheses: (size) => nested(size, ['(', ')'], 'tenant_id = 1'),
  subqueries: (size) =>
    repeat(size, () => 'tenant_id in (select c.id from countries c where c.id = tenant_id)', ' and '),
  placeholders: (size) => `tenant_id in (${repeat(size, () => '{{ tenant }}')})`,
  'a long string': (size) => `region = '${'x'.repeat(size * 10)}'`,
};
