import type { JsonObject, ValidationCode } from '@gatehouse/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_OPTIONS, factsOf, type FactsSketch } from '../testing/factSketches.js';
import { createChoose, makeProject, type Choose, type Project } from '../testing/randomProjects.js';
import { fixTemplate, validateTemplate } from '../testing/runValidation.js';

type Found = `${ValidationCode} ${string}`;
interface Damage {
  project: Project;
  expected: Found[];
}

interface Text {
  path: string;
  value: string;
}

/** Every text of a template, with its path. */
function textsOf(value: unknown, path = ''): Text[] {
  if (typeof value === 'string') return [{ path, value }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => textsOf(child, `${path}/${key}`));
}

function replaced(template: JsonObject, path: string, text: string): JsonObject {
  const copy = structuredClone(template);
  const keys = path.split('/').slice(1);
  let parent: unknown = copy;
  for (const key of keys.slice(0, -1)) parent = (parent as JsonObject)[key];
  (parent as JsonObject)[keys.at(-1) ?? ''] = text;
  return copy;
}

const UNKNOWN_NAME = 'nothing_is_called_so';

/** The texts of a template that can be broken one at a time, and the code of each. */
const TEXTS: readonly [pattern: RegExp, code: ValidationCode][] = [
  [/\/fields\/\w+\/\d+\/column$/, 'FIELD_NOT_FOUND'],
  [/\/fields\/\w+\/\d+\/entity$/, 'ENTITY_NOT_FOUND'],
  [/\/filters\/\d+\/column$/, 'FILTER_FIELD_NOT_FOUND'],
  [/\/filters\/\d+\/entity$/, 'ENTITY_NOT_FOUND'],
  [/\/on\/\d+\/(source|target)Column$/, 'JOIN_KEY_NOT_FOUND'],
  [/\/joins\/\d+\/(source|target)$/, 'ENTITY_NOT_FOUND'],
  [/\/connectionId$/, 'CONNECTION_NOT_FOUND'],
  [/\/domainId$/, 'DOMAIN_NOT_FOUND'],
  [/\/datamodelId$/, 'DATAMODEL_NOT_FOUND'],
  [/\/visualId$/, 'VISUAL_NOT_FOUND'],
  [/\/assistantProfileId$/, 'ASSISTANT_PROFILE_NOT_FOUND'],
  [/\/aiContext\/selectedEntities\/\d+\/table$/, 'AI_CONTEXT_INVALID'],
];

/** Replaces one text of the template. */
function breakText({ facts, template }: Project, choose: Choose): Damage {
  const breakable = textsOf(template).flatMap(({ path }) => {
    const [, code] = TEXTS.find(([pattern]) => pattern.test(path)) ?? [];
    return code === undefined ? [] : [{ path, code }];
  });
  const { path, code } = breakable[choose(breakable.length)] ?? { path: '', code: 'TEMPLATE_MISSING' };
  return {
    project: { facts, template: replaced(template, path, UNKNOWN_NAME) },
    expected: [`${code} ${path}`],
  };
}

interface Card {
  dataSource: JsonObject & { selectedEntities: { table: string }[] };
  fields: Record<string, Field[]>;
  filters: Field[];
}
interface Field {
  entity?: string;
  column: string;
}

function cardsOf(template: JsonObject): { path: string; card: Card }[] {
  const sheets = template['sheets'] as { frames: { cards?: Card[] }[] }[];
  return sheets.flatMap(({ frames }, s) =>
    frames.flatMap(({ cards = [] }, f) =>
      cards.map((card, c) => ({ path: `/sheets/${s}/frames/${f}/cards/${c}`, card })),
    ),
  );
}

/** The paths of the dashboard's filter, the linked visual and the assistant's entity. */
const FILTER = '/filters/0';
const VISUAL = '/sheets/0/frames/1/visualId';
const ASSISTANT = '/aiContext/selectedEntities/0/table';

function filterOf(template: JsonObject): Required<Field> {
  const [filter] = template['filters'] as [Required<Field>];
  return filter;
}

/** The connection of a card's tables. */
function connectionOf({ dataSource }: Card): 'c_1' | 'c_2' {
  return dataSource['connectionId'] === 'c_2' || dataSource['mode'] === 'datamodel' ? 'c_2' : 'c_1';
}

type ConnectionId = 'c_1' | 'c_2';

function tablesIn({ connections = {} }: FactsSketch, id: ConnectionId) {
  return { ...connections[id]?.tables };
}

function withTables(
  { facts, template }: Project,
  id: ConnectionId,
  tables: Record<string, readonly string[]>,
): Project {
  return { facts: { ...facts, connections: { ...facts.connections, [id]: { tables } } }, template };
}

function visualColumn({ visuals = {} }: FactsSketch): string {
  const { cards } = visuals['v_1'] as unknown as { cards: [Card] };
  return cards[0].fields['columns']?.[0]?.column ?? '';
}

/** Drops or renames a column of a table. */
function breakColumn(project: Project, choose: Choose): Damage {
  const id = choose(2) === 0 ? 'c_1' : 'c_2';
  const tables = tablesIn(project.facts, id);
  const names = Object.keys(tables);
  const table = names[choose(names.length)] ?? '';
  const columns = tables[table] ?? [];
  const column = columns[choose(columns.length)] ?? '';
  const rest = columns.filter((name) => name !== column);
  tables[table] = choose(2) === 0 ? rest : [...rest, UNKNOWN_NAME];
  const { template, facts } = project;
  const used = cardsOf(template).flatMap(({ path, card }) => {
    const { fields, filters, dataSource } = card;
    const groups = Object.entries(fields).map(
      ([group, list]) => [`fields/${group}`, list, 'FIELD_NOT_FOUND'] as const,
    );
    const lists = [...groups, ['filters', filters, 'FILTER_FIELD_NOT_FOUND'] as const];
    const inLists = lists.flatMap(([place, list, code]) =>
      list.flatMap((field, index) =>
        field.column === column ? [`${code} ${path}/${place}/${index}/column` as Found] : [],
      ),
    );
    const inJoins = textsOf(dataSource['joins'], `${path}/dataSource/joins`)
      .filter((text) => text.value === column && text.path.endsWith('Column'))
      .map((text): Found => `JOIN_KEY_NOT_FOUND ${text.path}`);
    return [...inLists, ...inJoins];
  });
  if (filterOf(template).column === column) used.push(`FILTER_FIELD_NOT_FOUND ${FILTER}/column`);
  if (visualColumn(facts) === column) used.push(`VISUAL_INVALID ${VISUAL}`);
  return { project: withTables(project, id, tables), expected: used };
}

/** Drops or renames a table. */
function breakTable(project: Project, choose: Choose): Damage {
  const { template, facts } = project;
  const id = choose(2) === 0 ? 'c_1' : 'c_2';
  const tables = tablesIn(facts, id);
  const names = Object.keys(tables);
  const table = names[choose(names.length)] ?? '';
  const { [table]: columns = [], ...rest } = tables;
  const left = choose(2) === 0 ? rest : { ...rest, [UNKNOWN_NAME]: columns };
  const expected = cardsOf(template)
    .filter(({ card }) => connectionOf(card) === id)
    .flatMap(({ path, card }) =>
      card.dataSource.selectedEntities.flatMap((entity, index): Found[] =>
        entity.table === table ? [`ENTITY_NOT_FOUND ${path}/dataSource/selectedEntities/${index}/table`] : [],
      ),
    );
  if (visualColumn(facts).startsWith(`${id === 'c_1' ? 'one' : 'two'}_${table}_`))
    expected.push(`VISUAL_INVALID ${VISUAL}`);
  const [assisted = ''] = textsOf(template['aiContext']).map(({ value }) => value);
  // A dataset keeps its name without its table, and the other connection may have a table of the name.
  const isElsewhere = Object.hasOwn(tablesIn(facts, id === 'c_1' ? 'c_2' : 'c_1'), table);
  const isKnown = isElsewhere || id === 'c_2';
  if (assisted === table && !isKnown) expected.push(`AI_CONTEXT_INVALID ${ASSISTANT}`);
  return { project: withTables(project, id, left), expected };
}

/** The issues of the dashboard's filter, whose table must be selected in a card or a visual. */
function brokenFilter(template: JsonObject, facts: FactsSketch): Found[] {
  const { entity } = filterOf(template);
  const selecting = cardsOf(template).filter(({ card }) =>
    card.dataSource.selectedEntities.some(({ table }) => table === entity),
  );
  const isInVisual = visualColumn(facts).startsWith(`one_${entity}_`);
  if (isInVisual || selecting.some(({ card }) => connectionOf(card) === 'c_1')) return [];
  return [
    selecting.length === 0 ? `ENTITY_NOT_FOUND ${FILTER}/entity` : `FILTER_FIELD_NOT_FOUND ${FILTER}/column`,
  ];
}

/** Replaces one selected entity by an unknown table. The entity is invalid, and every field that names it. */
function breakSelection({ facts, template }: Project, choose: Choose): Damage {
  const cards = cardsOf(template);
  const { path, card } = cards[choose(cards.length)] ?? { path: '', card: undefined };
  const entities = card?.dataSource.selectedEntities ?? [];
  const index = choose(entities.length);
  const place = `${path}/dataSource/selectedEntities/${index}/table`;
  const table = entities[index]?.table;
  const naming = textsOf(card, path).filter(
    ({ path: at, value }) => value === table && /\/(entity|source|target)$/.test(at),
  );
  const broken = replaced(template, place, UNKNOWN_NAME);
  const filter = brokenFilter(broken, facts);
  const expected = [
    `ENTITY_NOT_FOUND ${place}`,
    ...naming.map((text) => `ENTITY_NOT_FOUND ${text.path}`),
    ...filter,
  ] as Found[];
  return { project: { facts, template: broken }, expected };
}

/** Deletes a record that the template refers to. */
function breakRecord({ facts, template }: Project, choose: Choose): Damage {
  const paths = (key: string, id: string) =>
    textsOf(template).filter(({ path, value }) => path.endsWith(`/${key}`) && value === id);
  const without = <T>(records: Record<string, T> = {}, id = '') =>
    Object.fromEntries(Object.entries(records).filter(([name]) => name !== id));
  const kinds: [FactsSketch, code: ValidationCode, Text[]][] = [
    [{ domains: {} }, 'DOMAIN_NOT_FOUND', paths('domainId', 'dom_1')],
    [{ datamodels: {} }, 'DATAMODEL_NOT_FOUND', paths('datamodelId', 'dm_1')],
    [{ assistantProfiles: [] }, 'ASSISTANT_PROFILE_NOT_FOUND', paths('assistantProfileId', 'ap_1')],
    [
      { visuals: {} },
      'VISUAL_NOT_FOUND',
      paths('visualId', paths('visualId', 'v_1').length > 0 ? 'v_1' : 'v_2'),
    ],
    [
      { visuals: without(facts.visuals, 'v_1') },
      paths('visualId', 'v_1').length > 0 ? 'VISUAL_NOT_FOUND' : 'VISUAL_INVALID',
      [{ path: VISUAL, value: '' }],
    ],
    [
      { connections: without(facts.connections, 'c_2'), datamodels: {} },
      'CONNECTION_NOT_FOUND',
      paths('connectionId', 'c_2'),
    ],
  ];
  const [fewer, code, texts] = kinds[choose(kinds.length)] ?? [{}, 'TEMPLATE_MISSING', []];
  const models =
    fewer.datamodels !== undefined && code === 'CONNECTION_NOT_FOUND' ? paths('datamodelId', 'dm_1') : [];
  const expected = [
    ...texts.map(({ path }): Found => `${code} ${path}`),
    ...models.map(({ path }): Found => `DATAMODEL_NOT_FOUND ${path}`),
  ];
  return { project: { facts: { ...facts, ...fewer }, template }, expected };
}

const DAMAGES = { breakText, breakColumn, breakTable, breakSelection, breakRecord };

function issuesOf({ facts, template }: Project): Found[] {
  const outcome = validateTemplate(template, factsOf(facts, DEFAULT_OPTIONS), { options: DEFAULT_OPTIONS });
  if (outcome.kind === 'tooLarge') throw new Error(outcome.message);
  return outcome.report.issues.map(({ code, path }): Found => `${code} ${path}`);
}

describe('validation finds exactly what is broken', () => {
  it.each(Object.entries(DAMAGES))('%s', (_, damage) => {
    let broken = 0;
    fc.assert(
      fc.property(fc.noShrink(fc.integer()), (seed) => {
        const choose = createChoose(seed);
        const project = makeProject(choose);
        expect(issuesOf(project)).toEqual([]);
        const { project: damaged, expected } = damage(project, choose);
        expect(issuesOf(damaged).toSorted()).toEqual(expected.toSorted());
        if (expected.length > 0) broken += 1;
      }),
      { numRuns: 500 },
    );
    // Some columns and tables are unused, so that nothing breaks. Most are used.
    expect(broken).toBeGreaterThan(200);
  });

  it('and fixes nothing in a valid template', () => {
    fc.assert(
      fc.property(fc.noShrink(fc.integer()), (seed) => {
        const choose = createChoose(seed);
        const { facts, template } = makeProject(choose);
        const fixed = fixTemplate(template, factsOf(facts, DEFAULT_OPTIONS), DEFAULT_OPTIONS);
        expect(fixed).toMatchObject({ kind: 'fixed', fixes: [], patch: [], template });
      }),
      { numRuns: 200 },
    );
  });
});
