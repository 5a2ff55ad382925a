import type { JsonObject } from '@gatehouse/contract';
import type { FactsSketch, Tables } from './factSketches.js';

/** Returns a random integer in the range from 0 to `bound`, exclusive. */
export type Choose = (bound: number) => number;

/** Creates a seeded generator of random numbers: xorshift (Marsaglia, 2003). */
export function createChoose(seed: number): Choose {
  let state = (seed | 0) ^ 0x9e3779b9 || 1;
  return (bound) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return bound === 0 ? 0 : (state >>> 0) % bound;
  };
}

export interface Project {
  facts: FactsSketch;
  template: JsonObject;
}

const TABLES = ['orders', 'customers', 'items', 'targets', 'stores'];
const COLUMNS = ['id', 'region', 'amount', 'name', 'price', 'quantity', 'goal', 'city', 'status', 'day'];

function pick<T>(choose: Choose, from: readonly T[]): T {
  const picked = from[choose(from.length)];
  if (picked === undefined) throw new RangeError('There is nothing to pick from');
  return picked;
}

function several<T>(choose: Choose, from: readonly T[], least = 1): T[] {
  const chosen = from.filter(() => choose(2) === 0);
  return chosen.length >= least ? chosen : from.slice(0, least);
}

/** Tables whose columns contain the table's name, so that no column is in two tables. */
function makeTables(choose: Choose, prefix: string): Tables {
  return Object.fromEntries(
    several(choose, TABLES, 2).map((table) => [
      table,
      several(choose, COLUMNS, 2).map((column) => `${prefix}_${table}_${column}`),
    ]),
  );
}

interface Source {
  dataSource: Record<string, string>;
  tables: Tables;
}

function makeCard(choose: Choose, { dataSource, tables }: Source, id: string): JsonObject {
  const selected = several(choose, Object.keys(tables), 2);
  const field = () => {
    const entity = pick(choose, selected);
    const column = pick(choose, tables[entity] ?? []);
    return choose(2) === 0 ? { column } : { entity, column };
  };
  const fields = (most: number) => Array.from({ length: choose(most + 1) }, field);
  const [source = '', target = ''] = selected;
  const key = (table: string) => pick(choose, tables[table] ?? []);
  const join = {
    source,
    target,
    on: [{ sourceColumn: key(source), targetColumn: key(target) }],
    type: 'left',
  };
  return {
    id,
    title: `Card ${id}`,
    type: pick(choose, ['table', 'bar', 'line']),
    dataSource: {
      ...dataSource,
      selectedEntities: selected.map((table) => ({ table })),
      joins: choose(2) === 0 ? [join] : [],
    },
    fields: {
      columns: [field(), ...fields(2)],
      metrics: fields(2),
      groupBy: fields(1),
      sort: fields(1),
      pivot: fields(1),
    },
    filters: fields(2),
  };
}

/** A project and a valid template that uses every feature. */
export function makeProject(choose: Choose): Project {
  const first = makeTables(choose, 'one');
  const second = makeTables(choose, 'two');
  const datasetsOf = (tables: Tables, connection: { connectionId?: string }) =>
    Object.keys(tables).map((table) => ({ name: table, ...connection, table }));
  const sources: Source[] = [
    { dataSource: { mode: 'database', connectionId: 'c_1' }, tables: first },
    { dataSource: { mode: 'database', connectionId: 'c_2' }, tables: second },
    { dataSource: { mode: 'domain', domainId: 'dom_1' }, tables: first },
    { dataSource: { mode: 'datamodel', datamodelId: 'dm_1' }, tables: second },
  ];
  const cards = sources.map((source, index) => makeCard(choose, source, `k${index}`));
  const more = Array.from({ length: choose(3) }, (_, index) =>
    makeCard(choose, pick(choose, sources), `m${index}`),
  );
  const [table = ''] = Object.keys(first);
  const [column = ''] = first[table] ?? [];
  const visual = {
    dataSource: { connectionId: 'c_1', selectedEntities: [{ table }] },
    fields: { columns: [{ column }] },
  };
  const filterCard = cards[0] as { dataSource: { selectedEntities: { table: string }[] } };
  const filtered = pick(choose, filterCard.dataSource.selectedEntities).table;
  return {
    facts: {
      connections: { c_1: { tables: first }, c_2: { tables: second } },
      domains: { dom_1: { datasets: datasetsOf(first, { connectionId: 'c_1' }) } },
      datamodels: { dm_1: { connectionId: 'c_2', datasets: datasetsOf(second, {}) } },
      assistantProfiles: ['ap_1'],
      visuals: { v_1: { cards: [visual] }, v_2: { visualId: 'v_1' } },
    },
    template: {
      sheets: [
        {
          id: 's1',
          frames: [
            { id: 'f1', cards },
            { id: 'f2', visualId: pick(choose, ['v_1', 'v_2']) },
          ],
        },
        { id: 's2', frames: [{ id: 'f3', cards: more }] },
      ],
      filters: [{ entity: filtered, column: pick(choose, first[filtered] ?? []) }],
      aiContext: { selectedEntities: [{ table: filtered }], assistantProfileId: 'ap_1' },
    },
  };
}
