import type { JsonObject } from '@gatehouse/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_OPTIONS, factsOf } from '../testing/factSketches.js';
import { createChoose, makeProject } from '../testing/randomProjects.js';
import { fixTemplate, validateTemplate } from '../testing/runValidation.js';
import { LIMITS } from './logic/report.js';
import { inspectVisual } from './logic/visuals.js';

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
      { numRuns: 1500 },
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
      { numRuns: 300 },
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
