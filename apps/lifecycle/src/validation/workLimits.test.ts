import type { JsonObject } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { catalogOf, DEFAULT_OPTIONS, factsOf, type FactsSketch } from '../testing/factSketches.js';
import { fixTemplate, inspectVisual, validateTemplate } from '../testing/runValidation.js';
import { loadSchemaFacts, loadVisuals, type FactSources } from './loadFacts.js';
import { CatalogIndex, IndexedTable } from './logic/catalogIndex.js';
import { fixTemplate as fixInSteps } from './logic/fix.js';
import { NameIndex } from './logic/identifiers.js';
import { RenameIndex } from './logic/renames.js';
import { LIMITS, LookupBudget, Report } from './logic/report.js';
import { validateTemplate as validateInSteps } from './logic/template.js';
import { createCatalogCache } from './catalogCache.js';

const options = DEFAULT_OPTIONS;
const numbered = <T>(count: number, create: (n: number) => T) =>
  Array.from({ length: count }, (_, n) => create(n));
const withCards = (cards: JsonObject[], rest: JsonObject = {}): JsonObject => ({
  sheets: [{ frames: [{ cards }] }],
  ...rest,
});
const reportOf = (template: JsonObject, facts: FactsSketch) => {
  const outcome = validateTemplate(template, factsOf(facts, options), { options });
  if (outcome.kind === 'tooLarge') throw new Error(outcome.message);
  return outcome.report;
};

function countSteps(steps: Generator<void, unknown>): number {
  let count = 1;
  while (!steps.next().done) count += 1;
  return count;
}

/** Tables of one name, each in its own schema. */
const sameNamed = (schemas: number, columnsOf: (schema: number) => string[]): FactsSketch => ({
  connections: {
    c_1: { tables: Object.fromEntries(numbered(schemas, (n) => [`s_${n}.t`, columnsOf(n)])) },
  },
});
const selectAll = (schemas: number) => ({
  connectionId: 'c_1',
  selectedEntities: numbered(schemas, (n) => ({ schema: `s_${n}`, table: 't' })),
});

afterEach(() => void vi.restoreAllMocks());

describe('the candidates of missing names', () => {
  /** The distinct lists of candidates that were looked at. */
  const listsOf = (template: JsonObject, facts: FactsSketch) => {
    const added = vi.spyOn(Report.prototype, 'addMissing');
    reportOf(template, facts);
    expect(added.mock.calls.length).toBeGreaterThan(1);
    return new Set(added.mock.calls.map(([{ offered }]) => offered));
  };
  const missing = numbered(3, (n) => ({ table: `absent_${n}` }));

  it('are one list for the entities of the assistant', () => {
    const modelOf = (name: string) => ({ connectionId: 'c_1', datasets: [{ name, table: 't' }] });
    const facts = {
      connections: { c_1: { tables: { t: ['id'] } } },
      datamodels: { dm_1: modelOf('one'), dm_2: modelOf('two') },
    };
    expect(listsOf({ aiContext: { selectedEntities: missing } }, facts).size).toBe(1);
  });

  it('are one list for the fields of several tables of one name', () => {
    const columns = numbered(3, (n) => ({ entity: 't', column: `absent_${n}` }));
    const template = withCards([{ dataSource: selectAll(2), fields: { columns } }]);
    expect(
      listsOf(
        template,
        sameNamed(2, (n) => [`column_${n}`]),
      ).size,
    ).toBe(1);
  });

  it('are one list for the tables of a catalog without a default schema', () => {
    const facts = {
      connections: { c_1: { defaultSchema: null, tables: { 'one.a': ['id'], 'two.b': ['id'] } } },
    };
    const template = withCards([{ dataSource: { connectionId: 'c_1', selectedEntities: missing } }]);
    expect(listsOf(template, facts).size).toBe(1);
  });

  it('are listed up to a limit, and later issues have none', () => {
    const columns = numbered(5000, (n) => `c${n}`);
    const cardOf = (tables: number) => ({
      dataSource: selectAll(tables),
      fields: { columns: [{ entity: 't', column: 'c' }] },
    });
    const perCard = LIMITS.listedNames / 2 / columns.length;
    const cards = [cardOf(perCard), cardOf(perCard), cardOf(perCard), cardOf(1)];
    const { issues } = reportOf(
      withCards(cards),
      sameNamed(perCard, () => columns),
    );
    expect(issues.map((issue) => 'suggestions' in issue)).toEqual([true, true, false, true]);
    expect(issues.map((issue) => 'availableColumns' in issue)).toEqual([true, true, false, true]);
  });

  it('of datasets with calculated fields are not listed before they are needed', () => {
    const calculatedFields = numbered(20, (n) => ({ dataset: `d_${n}`, name: 'total' }));
    const facts = {
      connections: { c_1: { tables: { t: ['id'] } } },
      datamodels: {
        dm_1: {
          connectionId: 'c_1',
          datasets: numbered(20, (n) => ({ name: `d_${n}`, table: 't' })),
          calculatedFields: calculatedFields.map((field) => ({ ...field, expression: '1' })),
        },
      },
    } as unknown as FactsSketch;
    const cards = numbered(20, (n) => ({
      dataSource: { datamodelId: 'dm_1', selectedEntities: [{ table: `d_${n}` }] },
      fields: { columns: [{ column: 'absent' }] },
    }));
    const added = vi.spyOn(Report.prototype, 'addMissing');
    const silent = { ...options, includeSuggestions: false, includeAvailableColumns: false };
    validateTemplate(withCards(cards), factsOf(facts, options), { options: silent });
    const unlisted = added.mock.calls.map(([{ offered }]) => offered.unlisted);
    expect(unlisted).toEqual(numbered(20, () => 2));
  });
});

describe('the selected entities of a card', () => {
  const facts = () =>
    factsOf(
      {
        connections: {
          c_1: {
            dialect: 'mysql',
            defaultSchema: null,
            tables: Object.fromEntries(numbered(50, (n) => [`s_${n}.t_${n}`, ['id']])),
          },
        },
      },
      options,
    );
  const template = withCards([
    {
      dataSource: { connectionId: 'c_1', selectedEntities: numbered(100, (n) => ({ table: `t_${n}` })) },
    },
  ]);

  it('are checked in one step each', () => {
    expect(countSteps(validateInSteps(template, facts(), { options }))).toBeGreaterThanOrEqual(100);
  });

  it('are looked up once in a catalog without a default schema, however many schemas it has', () => {
    const known = facts();
    const found = vi.spyOn(NameIndex.prototype, 'find');
    expect(validateTemplate(template, known, { options }).kind).toBe('report');
    expect(found.mock.calls.length).toBeLessThanOrEqual(500);
  });
});

describe('the key pairs of a join', () => {
  const joinOf = (columns: string[]) => {
    const on = columns.map((column) => ({ sourceColumn: column, targetColumn: column }));
    const dataSource = { ...selectAll(10), joins: [{ source: 't', target: 't', on }] };
    return withCards([{ dataSource }]);
  };
  const facts = () =>
    factsOf(
      sameNamed(10, (n) => [n === 9 ? 'last' : 'id']),
      options,
    );

  it('are checked in one step each', () => {
    const steps = validateInSteps(joinOf(numbered(200, () => 'last')), facts(), { options });
    expect(countSteps(steps)).toBeGreaterThanOrEqual(200);
  });

  it('look up the same column in the same tables once', () => {
    const known = facts();
    const lookups = vi.spyOn(IndexedTable.prototype, 'hasColumn');
    validateTemplate(joinOf(numbered(200, () => 'last')), known, { options });
    expect(lookups.mock.calls.length).toBeLessThanOrEqual(10);
  });
});

describe('the renames of a catalog', () => {
  const schemas = 20;
  /** Renames that count how often one is read. */
  function countedRenames() {
    let reads = 0;
    const changes = numbered(schemas, (n) => ({
      kind: 'tableRenamed' as const,
      schema: `s_${n}`,
      table: 't',
      from: 'old',
      to: 't',
    }));
    const renames = new Proxy(changes, {
      get(target, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    return { renames, reads: () => reads };
  }
  const factsWith = (renames: ReturnType<typeof countedRenames>['renames']) => {
    const { connections } = sameNamed(schemas, () => ['id']);
    return factsOf({ connections: { c_1: { ...connections?.['c_1'], renames } } }, options);
  };
  const cards = numbered(100, (n) => ({
    dataSource: { connectionId: 'c_1', selectedEntities: [{ schema: `s_${n % schemas}`, table: 't' }] },
  }));

  it('are read once for all filters, cards and schemas', () => {
    const { renames, reads } = countedRenames();
    const facts = factsWith(renames);
    const filters = numbered(10, (n) => ({ entity: `absent_${n}`, column: 'id' }));
    fixTemplate(withCards(cards, { filters }), facts, options);
    fixTemplate(withCards(cards, { filters }), facts, options);
    expect(reads()).toBeLessThanOrEqual(2 * schemas);
  });

  it('are followed once for all cards of one source', () => {
    const { renames } = countedRenames();
    const facts = factsWith(renames);
    const lookups = vi.spyOn(CatalogIndex.prototype, 'findTable');
    countSteps(fixInSteps(withCards(cards, { filters: [{ entity: 'old', column: 'id' }] }), facts, options));
    const followed = lookups.mock.calls.filter(([{ schema }]) => schema === undefined);
    expect(followed.length).toBeLessThanOrEqual(schemas);
  });
});

describe('the index of renames', () => {
  it('is kept with the cached version of the catalog', async () => {
    const known = { id: 'c_1', name: 'c_1', type: 'static', dialect: 'postgres', catalogVersion: 1 };
    const query = async (input: { known: unknown[] }) => ({
      connections: [{ ...known, ...(input.known.length === 0 && { catalog: catalogOf({}), renames: [] }) }],
      domains: [],
      datamodels: [],
      assistantProfiles: [],
    });
    const semantics = { facts: { load: { query } } };
    const sources = { semantics, catalogs: createCatalogCache() } as unknown as FactSources;
    const context = { principal: { projectId: 'p_1' } } as CallContext;
    const load = async () => (await loadSchemaFacts(sources, {}, context)).connections.get('c_1')?.renames;
    const first = await load();
    expect(first).toBeInstanceOf(RenameIndex);
    expect(await load()).toBe(first);
  });
});

describe('the lookups of a report', () => {
  const { lookups } = LIMITS;
  const limitLookups = (limit: number) => void Object.assign(LIMITS, { lookups: limit });
  afterEach(() => limitLookups(lookups));

  const facts: FactsSketch = { connections: { c_1: { tables: { one: ['id'], two: ['id', 'name'] } } } };
  const cards = numbered(30, () => ({
    dataSource: { connectionId: 'c_1', selectedEntities: [{ table: 'one' }, { table: 'two' }] },
  }));

  it.each([
    [
      'the filters of a dashboard',
      withCards(cards, { filters: numbered(4, () => ({ entity: 'two', column: 'id' })) }),
      /^\/filters\/3\/entity$/,
    ],
    [
      'fields without an entity',
      withCards([{ ...cards[0], fields: { columns: numbered(250, (n) => ({ column: `x_${n}` })) } }]),
      /^\/sheets\/0\/frames\/0\/cards\/0\/fields\/columns\/\d+\/column$/,
    ],
    [
      'the entities of an assistant',
      { aiContext: { selectedEntities: numbered(101, (n) => ({ table: `x_${n}` })) } },
      /^\/aiContext\/selectedEntities\/\d+\/table$/,
    ],
  ])('are limited for %s', (_, template, path) => {
    expect(validateTemplate(template, factsOf(facts, options), { options }).kind).toBe('report');
    limitLookups(400);
    expect(validateTemplate(template, factsOf(facts, options), { options })).toEqual({
      kind: 'tooLarge',
      path: expect.stringMatching(path) as unknown,
      message: 'needs more than 400 lookups of names',
    });
    expect(fixTemplate(template, factsOf(facts, options), options).kind).toBe('tooLarge');
  });

  it('are limited for all rounds of a fix together', () => {
    const template = withCards([{ ...cards[0], fields: { columns: [{ column: 'nam' }] } }]);
    const spent = vi.spyOn(LookupBudget.prototype, 'spend');
    expect(validateTemplate(template, factsOf(facts, options), { options }).kind).toBe('report');
    const one = spent.mock.calls.reduce((sum, [count]) => sum + count, 0);
    limitLookups(one);
    expect(validateTemplate(template, factsOf(facts, options), { options }).kind).toBe('report');
    expect(fixTemplate(template, factsOf(facts, options), options).kind).toBe('tooLarge');
    limitLookups(2 * one);
    expect(fixTemplate(template, factsOf(facts, options), options)).toMatchObject({
      fixes: [{ from: 'nam', to: 'name' }],
    });
  });

  it('make a visual invalid above the limit', () => {
    limitLookups(10);
    const fields = { columns: numbered(11, (n) => ({ column: `x_${n}` })) };
    const frameObject = { cards: [{ ...cards[0], fields }] };
    const saved = { title: '', isReadable: true, frameObject };
    expect(inspectVisual(saved, factsOf(facts, options), options)).toMatchObject({
      fault: 'it needs more than 10 lookups of names',
    });
  });

  it('are limited for all visuals of one request together', async () => {
    const spent = vi.spyOn(LookupBudget.prototype, 'spend');
    const frameObject = { cards: [{ ...cards[0], fields: { columns: [{ column: 'name' }] } }] };
    const saved = { title: '', isReadable: true, frameObject };
    inspectVisual(saved, factsOf(facts, options), options);
    const one = spent.mock.calls.reduce((sum, [count]) => sum + count, 0);
    limitLookups(2 * one);
    const linking = { ...saved, frameObject: { ...frameObject, visualId: 'v_3' } };
    const stored = new Map([
      ['v_1', saved],
      ['v_2', linking],
      ['v_3', saved],
      ['v_4', { ...saved, frameObject: { cards: [] } }],
    ]);
    const query = async ({ ids }: { ids: string[] }) => ({
      visuals: ids.flatMap((id) => ({ id, ...(stored.get(id) ?? saved) })),
      nextAfterId: null,
    });
    const sources = { access: { contents: { visuals: { query } } } } as unknown as FactSources;
    const load = async (...ids: string[]) => {
      const wanted = { ids, facts: factsOf(facts, options), options };
      const visuals = await loadVisuals(sources, wanted, {} as CallContext);
      return [...visuals].map(([id, { fault }]) => [id, fault]);
    };
    const fault = `it needs more than ${2 * one} lookups of names`;
    expect(await load('v_1', 'v_2', 'v_4')).toEqual([
      ['v_1', null],
      ['v_2', null],
      ['v_4', null],
      ['v_3', fault],
    ]);
    expect(await load('v_3', 'v_1')).toEqual([
      ['v_3', null],
      ['v_1', null],
    ]);
  });

  it('are far below the limit for a large dashboard', () => {
    const counted = vi.spyOn(LookupBudget.prototype, 'spend');
    const tables = numbered(20, (n) => [`t_${n}`, ['id', `name_${n}`]] as const);
    const selectedEntities = tables.map(([table]) => ({ table }));
    const large = numbered(200, () => ({
      dataSource: { connectionId: 'c_1', selectedEntities },
      fields: { columns: numbered(10, (n) => ({ column: `name_${n}` })) },
    }));
    const filters = numbered(50, (n) => ({ entity: `t_${n % 20}`, column: 'id' }));
    reportOf(withCards(large, { filters }), { connections: { c_1: { tables: Object.fromEntries(tables) } } });
    const total = counted.mock.calls.reduce((sum, [count]) => sum + count, 0);
    expect(total).toBeGreaterThan(200 * 10);
    expect(total).toBeLessThan(LIMITS.lookups / 100);
  });
});

/** A copy of a JSON value whose arrays report each read of an element. */
function countReads(value: unknown, onRead: () => void): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, countReads(each, onRead)]));
  return new Proxy(
    value.map((each) => countReads(each, onRead)),
    {
      get(list, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) onRead();
        return Reflect.get(list, key) as unknown;
      },
    },
  );
}

describe('a step of a validation', () => {
  const many = (entry: JsonObject) => numbered(200, () => entry);
  const facts = factsOf({ connections: { c_1: { tables: { t: ['id'] } } } }, options);
  const dataSource = { connectionId: 'c_1', selectedEntities: [{ table: 't' }] };
  const join = { source: 't', target: 't', on: [] };

  it.each<[string, JsonObject]>([
    ['sheets', { sheets: many({}) }],
    ['frames', { sheets: [{ frames: many({}) }] }],
    ['cards', withCards(many({}))],
    ['fields', withCards([{ dataSource, fields: { columns: many({ column: 'id' }) } }])],
    ['joins', withCards([{ dataSource: { ...dataSource, joins: many(join) } }])],
    ['filters', { filters: many({ column: 'id' }) }],
  ])('reads a few of many %s', (_, template) => {
    let reads = 0;
    const counted = countReads(template, () => (reads += 1)) as JsonObject;
    const steps = validateInSteps(counted, { ...facts, visuals: new Map() }, { options });
    let most = 0;
    for (let isDone = false; !isDone; most = Math.max(most, reads)) {
      reads = 0;
      isDone = steps.next().done === true;
    }
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(5);
  });
});

describe('the cards of a template', () => {
  it('are limited, because each has a result', () => {
    const template = (count: number) => withCards(numbered(count, () => ({})));
    const outcomeOf = (count: number) => validateTemplate(template(count), factsOf({}, options), { options });
    expect(outcomeOf(LIMITS.cards).kind).toBe('report');
    expect(outcomeOf(LIMITS.cards + 1)).toEqual({
      kind: 'tooLarge',
      path: `/sheets/0/frames/0/cards/${LIMITS.cards}`,
      message: 'has more than 10000 cards',
    });
  });
});

describe('a fix', () => {
  it('copies the template only when there is something to fix', () => {
    const facts = factsOf({ connections: { c_1: { tables: { t: ['name'] } } } }, options);
    const dataSource = { connectionId: 'c_1', selectedEntities: [{ table: 't' }] };
    const fix = (column: string) => {
      const template = withCards([{ dataSource, fields: { columns: [{ column }] } }]);
      const before = structuredClone(template);
      const outcome = fixTemplate(template, facts, options);
      expect(template).toEqual(before);
      return outcome.kind === 'fixed' && outcome.template === template;
    };
    expect([fix('name'), fix('nam')]).toEqual([true, false]);
  });
});
