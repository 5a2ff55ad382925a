import type { JsonObject } from '@gatehouse/contract';
import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_OPTIONS, factsOf } from '../testing/factSketches.js';
import { createChoose, makeProject } from '../testing/randomProjects.js';
import { fixTemplate, inspectVisual, validateTemplate } from '../testing/runValidation.js';
import { CatalogIndex } from './logic/catalogIndex.js';
import { DistancesFrom } from './logic/editDistance.js';
import { LIMITS } from './logic/report.js';
import { validateTemplate as validateInSteps } from './logic/template.js';

const options = DEFAULT_OPTIONS;
const { facts: sketch, template: valid } = makeProject(createChoose(1));
const facts = factsOf(sketch, options);

/** The value at a JSON pointer; undefined where there is none. */
function valueAt(value: unknown, pointer: string): unknown {
  const keys = pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  return keys.reduce<unknown>(
    (at, key) => (typeof at === 'object' && at !== null ? (at as JsonObject)[key] : undefined),
    value,
  );
}

/** A valid template with one part replaced by any JSON. */
function withJsonAt(seed: number, json: unknown): JsonObject {
  const choose = createChoose(seed);
  const copy = structuredClone(valid);
  let at: JsonObject = copy;
  for (;;) {
    const keys = Object.keys(at);
    const key = keys[choose(keys.length)];
    if (key === undefined) return copy;
    const child = at[key];
    const isInner = typeof child === 'object' && child !== null && Object.keys(child).length > 0;
    if (isInner && choose(6) > 0) {
      at = child as JsonObject;
    } else {
      at[key] = json;
      return copy;
    }
  }
}

const name = fc.constantFrom(
  'sheets',
  'frames',
  'cards',
  'dataSource',
  'fields',
  'filters',
  'column',
  'constructor',
  '__proto__',
  'toString',
  '~/',
  '',
);
const anyJson = fc.oneof(fc.jsonValue(), fc.dictionary(name, fc.jsonValue()), fc.string({ unit: 'binary' }));

describe('any JSON', () => {
  it('has a report whose paths exist', () => {
    fc.assert(
      fc.property(fc.integer(), anyJson, (seed, json) => {
        const template = withJsonAt(seed, json);
        const outcome = validateTemplate(template, facts, { options });
        if (outcome.kind === 'tooLarge') throw new Error(outcome.message);
        const { issues, summary, cardResults } = outcome.report;
        expect(issues.filter(({ path }) => valueAt(template, path) === undefined)).toEqual([]);
        expect(summary.totalCards).toBe(summary.validCards + summary.invalidCards);
        expect(summary.totalFields).toBe(summary.validFields + summary.invalidFields);
        expect(cardResults.filter(({ isValid }) => isValid).length).toBe(summary.validCards);
      }),
      { numRuns: randomRuns(1500) },
    );
  });

  it('can be fixed, and can be a saved visual', () => {
    fc.assert(
      fc.property(fc.integer(), anyJson, (seed, json) => {
        const template = withJsonAt(seed, json);
        const before = structuredClone(template);
        expect(fixTemplate(template, facts, options).kind).toBe('fixed');
        expect(template).toEqual(before);
        inspectVisual(
          { title: '', isReadable: true, frameObject: { cards: json, visualId: json } },
          facts,
          options,
        );
      }),
      { numRuns: randomRuns(300) },
    );
  });
});

const tableOf = (columns: number) => ({
  connections: { c_1: { tables: { t: Array.from({ length: columns }, (_, n) => `some_column_${n}`) } } },
});
const source = { connectionId: 'c_1', selectedEntities: [{ table: 't' }] };
const oneFrame = (frame: JsonObject): JsonObject => ({ sheets: [{ frames: [frame] }] });
const outcomeOf = (template: JsonObject, project = tableOf(10)) =>
  validateTemplate(template, factsOf(project, options), { options });

describe('a very large template', () => {
  it('with 10,000 cards is validated', () => {
    const cards = Array.from({ length: 10_000 }, () => ({
      dataSource: source,
      fields: { columns: [{ column: 'some_column_1' }] },
    }));
    const outcome = outcomeOf(oneFrame({ cards }));
    expect(outcome).toMatchObject({
      kind: 'report',
      report: { issues: [], summary: { validCards: 10_000 } },
    });
  });

  it('has a limited number of issues, and names the path of the first above the limit', () => {
    const columns = Array.from({ length: LIMITS.issues + 1 }, () => ({ column: 'x' }));
    const outcome = outcomeOf(oneFrame({ cards: [{ dataSource: source, fields: { columns } }] }));
    expect(outcome).toEqual({
      kind: 'tooLarge',
      path: `/sheets/0/frames/0/cards/0/fields/columns/${LIMITS.issues}/column`,
      message: 'has more than 10000 issues',
    });
  });

  it.each([
    [
      'entities',
      oneFrame({
        cards: [
          {
            dataSource: { ...source, selectedEntities: Array.from({ length: 501 }, () => ({ table: 't' })) },
          },
        ],
      }),
      '/sheets/0/frames/0/cards/0/dataSource/selectedEntities',
    ],
    [
      'entities of the assistant',
      { aiContext: { selectedEntities: Array.from({ length: 501 }, () => ({ table: 't' })) } },
      '/aiContext/selectedEntities',
    ],
    ['filters', { filters: Array.from({ length: 1001 }, () => ({ column: 'x' })) }, '/filters'],
    [
      'linked visuals',
      { sheets: [{ frames: Array.from({ length: 1001 }, (_, n) => ({ visualId: `v_${n}` })) }] },
      '/sheets/0/frames/1000/visualId',
    ],
  ])('has a limited number of %s', (_, template, path) => {
    expect(outcomeOf(template)).toMatchObject({ kind: 'tooLarge', path });
  });

  it('lists columns and suggestions up to a limit, and omits them from later issues', () => {
    const columns = Array.from({ length: 1000 }, (_, n) => ({ column: `colum_${n}` }));
    const outcome = outcomeOf(
      oneFrame({ cards: [{ dataSource: source, fields: { columns } }] }),
      tableOf(2000),
    );
    if (outcome.kind === 'tooLarge') throw new Error(outcome.message);
    const { issues } = outcome.report;
    expect(issues).toHaveLength(1000);
    expect(issues[0]).toMatchObject({
      suggestions: expect.any(Array) as unknown,
      availableColumns: expect.any(Array) as unknown,
    });
    expect(issues.at(-1)).not.toHaveProperty('suggestions');
    expect(issues.at(-1)).not.toHaveProperty('availableColumns');
    const listed = issues.flatMap(({ availableColumns = [] }) => availableColumns);
    expect(listed.join('').length).toBeLessThanOrEqual(LIMITS.columnCharacters);
  });
});

describe('a template whose parts multiply', () => {
  afterEach(() => void vi.restoreAllMocks());
  const wide = (tables: number) => ({
    connections: {
      c_1: { tables: Object.fromEntries(Array.from({ length: tables }, (_, n) => [`table_${n}`, ['id']])) },
    },
  });
  const wholeCards = (count: number) =>
    Array.from({ length: count }, () => ({ dataSource: { connectionId: 'c_1' } }));

  it('reads the names of a source once, however many cards have all of it', () => {
    const wideFacts = factsOf(wide(500), options);
    const names = vi.spyOn(CatalogIndex.prototype, 'tableNames');
    const filters = [{ entity: 'absent', column: 'id' }];
    const template = { ...oneFrame({ cards: wholeCards(300) }), filters };
    const outcome = validateTemplate(template, wideFacts, { options });
    expect(outcome).toMatchObject({ kind: 'report', report: { issues: [{ code: 'ENTITY_NOT_FOUND' }] } });
    expect(names.mock.calls.length).toBeLessThanOrEqual(2);
  });

  it('looks up the filters of a dashboard once in each source, and yields after each', () => {
    const wideFacts = factsOf(wide(3), options);
    const lookups = vi.spyOn(CatalogIndex.prototype, 'findTable');
    const filters = Array.from({ length: 100 }, (_, n) => ({ entity: `absent_${n}`, column: 'id' }));
    const template = { ...oneFrame({ cards: wholeCards(200) }), filters };
    const steps = validateInSteps(template, wideFacts, { options });
    let yields = 0;
    while (!steps.next().done) yields += 1;
    expect(lookups.mock.calls.length).toBeLessThanOrEqual(filters.length);
    expect(yields).toBeGreaterThanOrEqual(200 + filters.length);
  });

  it('with long names that are hard to compare gets suggestions up to a limit', () => {
    const letters = (seed: number) =>
      Array.from({ length: 200 }, (_, at) => 'abcd'[(at * at * seed + at * 7 + seed * 13) % 4]).join('');
    const names = Array.from({ length: 250 }, (_, n) => letters(n));
    const long = { connections: { c_1: { tables: { t: names } } } };
    const columns = Array.from({ length: 100 }, (_, n) => ({ column: `${letters(n + 1000).slice(1)}e` }));
    const template = oneFrame({ cards: [{ dataSource: source, fields: { columns } }] });
    const steps = validateInSteps(template, factsOf(long, options), { options });
    const cells = vi.spyOn(DistancesFrom.prototype, 'to');
    let yields = 0;
    while (!steps.next().done) yields += 1;
    expect(yields).toBeGreaterThanOrEqual(columns.length);
    expect(cells.mock.calls.length).toBeLessThan(250 * columns.length);
  });
});
