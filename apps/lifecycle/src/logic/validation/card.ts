import type { ValidationResult } from '@gatehouse/contract';
import type { Entity } from './facts.js';
import { readDataSource, NO_SCOPE, type Validating } from './dataSource.js';
import type { Place } from './place.js';
import { LIMITS, TooLarge, type Report } from './report.js';
import { checkColumn, checkField, findEntities, type Scope } from './selection.js';

/** How much of a sort there is, and how much of it is invalid. */
export interface Tally {
  total: number;
  invalid: number;
}

/** What the cards of a template came to. */
export interface CardFindings {
  cards: ValidationResult['cardResults'];
  fields: Tally;
  filters: ValidationResult['filterResults'];
  joins: ValidationResult['joinResults'];
  /** What each card looks its fields up in. */
  scopes: Scope[];
  /** The connections on which statements run that are not looked into. */
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
function countsRows(group: string, field: Place): boolean {
  return group === 'metrics' && field.at('column').value === '*';
}

function validateFields(
  report: Report,
  fields: Place,
  { scope, tally }: { scope: Scope; tally: Tally },
): void {
  if (!fields.isObject()) return;
  for (const group of FIELD_GROUPS) {
    for (const field of fields.at(group).items()) {
      tally.total += 1;
      if (countsRows(group, field)) continue;
      const isValid = checkField(report, { field, columnKey: 'column', code: 'FIELD_NOT_FOUND' }, scope);
      if (!isValid) tally.invalid += 1;
    }
  }
}

/** A text of a part, without a word about what is no text. */
function plainText(place: Place): string | null {
  return typeof place.value === 'string' ? place.value : null;
}

/** Checks the filters of a card or of a dashboard; one names its column as `column`, as fields do, or as `field`. */
export function validateFilters(
  report: Report,
  list: Place,
  scope: Scope,
): ValidationResult['filterResults'] {
  const filters = list.items();
  if (filters.length > LIMITS.filters)
    throw new TooLarge(list.path, `has more than ${LIMITS.filters} entries`);
  return filters.map((filter) => {
    const columnKey = filter.at('column').isAbsent && !filter.at('field').isAbsent ? 'field' : 'column';
    const isValid = checkField(report, { field: filter, columnKey, code: 'FILTER_FIELD_NOT_FOUND' }, scope);
    const entity = plainText(filter.at('entity'));
    return { path: filter.path, entity, field: plainText(filter.at(columnKey)), isValid };
  });
}

/** One side of a join: its entities, or null when they are not known. */
function findSide(report: Report, join: Place, { key, scope }: { key: 'source' | 'target'; scope: Scope }) {
  const place = join.at(key);
  if (place.isAbsent) report.malformed(join.path, `an object with ${key}`);
  return findEntities(report, scope, place);
}

const KEYS = ['sourceColumn', 'targetColumn'] as const;
type Sides = Record<(typeof KEYS)[number], readonly Entity[] | null>;

/** Whether both columns of a pair are in their entities. */
function checkPair(report: Report, pair: Place, sides: Sides): boolean {
  if (!pair.isEntry()) return false;
  const checked = KEYS.map((key) => {
    const place = pair.at(key);
    const column = place.requiredText(pair);
    const entities = sides[key];
    if (column === null || entities === null) return false;
    return checkColumn(report, { place, column, code: 'JOIN_KEY_NOT_FOUND' }, entities);
  });
  return !checked.includes(false);
}

function checkJoin(report: Report, join: Place, scope: Scope): boolean {
  if (!join.isEntry()) return false;
  const sides = {
    sourceColumn: findSide(report, join, { key: 'source', scope }),
    targetColumn: findSide(report, join, { key: 'target', scope }),
  };
  const errorsBefore = report.errorCount;
  const pairs = join.at('on').items();
  const checked = pairs.map((pair) => checkPair(report, pair, sides));
  const hasSides = sides.sourceColumn !== null && sides.targetColumn !== null;
  return hasSides && !checked.includes(false) && report.errorCount === errorsBefore;
}

function validateJoin(report: Report, join: Place, scope: Scope): ValidationResult['joinResults'][number] {
  const isValid = checkJoin(report, join, scope);
  const [source, target] = [plainText(join.at('source')), plainText(join.at('target'))];
  return { path: join.path, source, target, isValid };
}

function isEmpty(place: Place): boolean {
  return place.isAbsent || (Array.isArray(place.value) && place.value.length === 0);
}

/** Whether a card names columns, so that it needs somewhere to look for them. */
function namesColumns(card: Place): boolean {
  const fields = card.at('fields');
  return FIELD_GROUPS.some((group) => !isEmpty(fields.at(group))) || !isEmpty(card.at('filters'));
}

function readScope(card: Place, isSql: boolean, validating: Validating): Scope {
  const { report } = validating;
  const dataSource = card.at('dataSource');
  if (dataSource.isObject()) return readDataSource(dataSource, isSql, validating);
  if (dataSource.isAbsent && (isSql || namesColumns(card)))
    report.add('CONNECTION_NOT_FOUND', card.path, { message: 'The card names columns, but no data source' });
  return NO_SCOPE;
}

function validateContents(card: Place, validating: Validating, findings: CardFindings): void {
  const { report } = validating;
  const { options } = report;
  const sql = card.at('sql').text();
  const isSql = sql !== null && sql !== '';
  const scope = readScope(card, isSql, validating);
  if (!card.at('dataSource').isAbsent) findings.scopes.push(scope);
  if (isSql) {
    const connectionId = plainText(card.at('dataSource').at('connectionId'));
    if (connectionId !== null) findings.sqlConnectionIds.add(connectionId);
    return;
  }
  validateFields(report, card.at('fields'), { scope, tally: findings.fields });
  if (options.validateJoins) {
    const joins = card.at('dataSource').at('joins').items();
    for (const join of joins) findings.joins.push(validateJoin(report, join, scope));
  }
  if (options.validateFilters)
    for (const result of validateFilters(report, card.at('filters'), scope)) findings.filters.push(result);
}

/** Validates one card and adds what it came to. */
export function validateCard(card: Place, validating: Validating, findings: CardFindings): void {
  const { report } = validating;
  const errorsBefore = report.errorCount;
  const issuesBefore = report.issues.length;
  let [cardId, title]: (string | null)[] = [null, null];
  if (card.isEntry()) {
    cardId = card.at('id').text();
    title = card.at('title').text();
    validateContents(card, validating, findings);
  }
  findings.cards.push({
    path: card.path,
    cardId: cardId ?? null,
    title: title ?? null,
    isValid: report.errorCount === errorsBefore,
    issueCount: report.issues.length - issuesBefore,
  });
}
