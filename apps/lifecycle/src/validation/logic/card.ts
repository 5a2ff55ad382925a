import type { ValidationResult } from '@gatehouse/contract';
import type { Entity } from './schema.js';
import { readDataSource, NO_SCOPE, type ValidationState } from './dataSource.js';
import type { TemplateNode } from './templateNode.js';
import { LIMITS, TooLarge, type Report } from './report.js';
import { checkColumn } from './columns.js';
import { checkField, checkRowCount, findEntities, type Scope } from './selection.js';

/** Counts of one kind of parts. */
interface Tally {
  total: number;
  invalid: number;
}

/** The results of the cards of a template. */
export interface CardFindings {
  cards: ValidationResult['cardResults'];
  fields: Tally;
  filters: ValidationResult['filterResults'];
  joins: ValidationResult['joinResults'];
  /** The scope of each card. */
  scopes: Scope[];
  /** The connections of SQL statements, which are not analyzed. */
  sqlConnectionIds: Set<string>;
}

export function emptyFindings(): CardFindings {
  return {
    cards: [],
    fields: { total: 0, invalid: 0 },
    filters: [],
    joins: [],
    scopes: [],
    sqlConnectionIds: new Set(),
  };
}

const FIELD_GROUPS = ['columns', 'metrics', 'groupBy', 'sort', 'pivot'] as const;

/** Whether a metric counts rows, which needs no column. */
function countsRows(group: string, field: TemplateNode): boolean {
  return group === 'metrics' && field.at('column').value === '*';
}

function* validateFields(
  report: Report,
  fields: TemplateNode,
  { scope, tally }: { scope: Scope; tally: Tally },
): Generator<void, void> {
  if (!fields.isObject()) return;
  for (const group of FIELD_GROUPS) {
    for (const field of fields.at(group).items()) {
      tally.total += 1;
      const isValid = countsRows(group, field)
        ? checkRowCount(report, field, scope)
        : checkField(report, { field, columnKey: 'column', code: 'FIELD_NOT_FOUND' }, scope);
      if (!isValid) tally.invalid += 1;
      yield;
    }
  }
}

/** A text; null for any other value, which is not reported. */
function plainText(node: TemplateNode): string | null {
  return typeof node.value === 'string' ? node.value : null;
}

/**
 * Checks the filters of a card or of a dashboard. A filter names its column in `column`, as fields do, or in
 * `field`. Yields after each.
 */
export function* validateFilters(
  report: Report,
  list: TemplateNode,
  scope: Scope,
): Generator<void, ValidationResult['filterResults']> {
  if (list.length > LIMITS.filters) throw new TooLarge(list.path, `has more than ${LIMITS.filters} entries`);
  const results: ValidationResult['filterResults'] = [];
  for (const filter of list.items()) {
    const columnKey = filter.at('column').isAbsent && !filter.at('field').isAbsent ? 'field' : 'column';
    const isValid = checkField(report, { field: filter, columnKey, code: 'FILTER_FIELD_NOT_FOUND' }, scope);
    const entity = plainText(filter.at('entity'));
    results.push({ path: filter.path, entity, field: plainText(filter.at(columnKey)), isValid });
    yield;
  }
  return results;
}

/** The entities of one side of a join; null when they are unknown. */
function findSide(
  report: Report,
  join: TemplateNode,
  { key, scope }: { key: 'source' | 'target'; scope: Scope },
) {
  const node = join.at(key);
  if (node.isAbsent) report.malformed(join.path, `an object with ${key}`);
  return findEntities(report, scope, node);
}

const KEYS = ['sourceColumn', 'targetColumn'] as const;
type Sides = Record<(typeof KEYS)[number], readonly Entity[] | null>;

/** Whether both columns of a pair are in their entities. */
function checkPair(report: Report, pair: TemplateNode, sides: Sides): boolean {
  if (!pair.isEntry()) return false;
  const checked = KEYS.map((key) => {
    const node = pair.at(key);
    const column = node.requiredText(pair);
    const entities = sides[key];
    if (column === null || entities === null) return false;
    return checkColumn(report, { node, column, code: 'JOIN_KEY_NOT_FOUND' }, entities);
  });
  return !checked.includes(false);
}

function* checkJoin(report: Report, join: TemplateNode, scope: Scope): Generator<void, boolean> {
  if (!join.isEntry()) return false;
  const sides = {
    sourceColumn: findSide(report, join, { key: 'source', scope }),
    targetColumn: findSide(report, join, { key: 'target', scope }),
  };
  const errorsBefore = report.errorCount;
  let isValid = sides.sourceColumn !== null && sides.targetColumn !== null;
  for (const pair of join.at('on').items()) {
    if (!checkPair(report, pair, sides)) isValid = false;
    yield;
  }
  return isValid && report.errorCount === errorsBefore;
}

function* validateJoin(
  report: Report,
  join: TemplateNode,
  scope: Scope,
): Generator<void, ValidationResult['joinResults'][number]> {
  const isValid = yield* checkJoin(report, join, scope);
  const [source, target] = [plainText(join.at('source')), plainText(join.at('target'))];
  return { path: join.path, source, target, isValid };
}

function isEmpty(node: TemplateNode): boolean {
  return node.isAbsent || (Array.isArray(node.value) && node.value.length === 0);
}

/** Whether a card names columns, and so needs a data source. */
function namesColumns(card: TemplateNode): boolean {
  const fields = card.at('fields');
  return FIELD_GROUPS.some((group) => !isEmpty(fields.at(group))) || !isEmpty(card.at('filters'));
}

function* readScope(card: TemplateNode, isSql: boolean, state: ValidationState): Generator<void, Scope> {
  const { report } = state;
  const dataSource = card.at('dataSource');
  if (dataSource.isObject()) return yield* readDataSource(dataSource, isSql, state);
  if (dataSource.isAbsent && (isSql || namesColumns(card)))
    report.add('CONNECTION_NOT_FOUND', card.path, { message: 'The card names columns, but no data source' });
  return NO_SCOPE;
}

function* validateContents(
  card: TemplateNode,
  state: ValidationState,
  findings: CardFindings,
): Generator<void, void> {
  const { report } = state;
  const { options } = report;
  const sql = card.at('sql').text();
  const isSql = sql !== null && sql !== '';
  const scope = yield* readScope(card, isSql, state);
  if (!card.at('dataSource').isAbsent) findings.scopes.push(scope);
  if (isSql) {
    const connectionId = plainText(card.at('dataSource').at('connectionId'));
    if (connectionId !== null) findings.sqlConnectionIds.add(connectionId);
    return;
  }
  yield* validateFields(report, card.at('fields'), { scope, tally: findings.fields });
  if (options.validateJoins) {
    for (const join of card.at('dataSource').at('joins').items()) {
      findings.joins.push(yield* validateJoin(report, join, scope));
      yield;
    }
  }
  if (options.validateFilters)
    for (const result of yield* validateFilters(report, card.at('filters'), scope))
      findings.filters.push(result);
}

/**
 * Validates one card and adds its results. Yields after each selected entity, field, key pair, join and
 * filter. Throws TooLarge above the limit of cards.
 */
export function* validateCard(
  card: TemplateNode,
  state: ValidationState,
  findings: CardFindings,
): Generator<void, void> {
  const { report } = state;
  if (findings.cards.length === LIMITS.cards)
    throw new TooLarge(card.path, `has more than ${LIMITS.cards} cards`);
  const errorsBefore = report.errorCount;
  const issuesBefore = report.issues.length;
  let [cardId, title]: (string | null)[] = [null, null];
  if (card.isEntry()) {
    cardId = card.at('id').text();
    title = card.at('title').text();
    yield* validateContents(card, state, findings);
  }
  findings.cards.push({
    path: card.path,
    cardId: cardId ?? null,
    title: title ?? null,
    isValid: report.errorCount === errorsBefore,
    issueCount: report.issues.length - issuesBefore,
  });
}
