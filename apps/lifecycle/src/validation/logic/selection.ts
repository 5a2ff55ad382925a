import type { ValidationCode } from '@gatehouse/contract';
import type { Entity, PhysicalReference } from './schema.js';
import { canonicalName } from './identifiers.js';
import type { TemplateNode } from './templateNode.js';
import { followColumn } from './renames.js';
import type { Report } from './report.js';
import type { Source } from './sources.js';
import { NameList } from './suggestions.js';

/** An entity and the names by which a card selects it. */
export interface SelectedEntity {
  entity: Entity;
  /** The names in the template: the most qualified first, the table last. */
  written: readonly string[];
}

/** The entities in which the fields of a card, or of a dashboard's filters, are resolved. */
export interface Scope {
  /** Their source; null when it does not exist or cannot be read, and for the union of several scopes. */
  source: Source | null;
  /** The source of which everything is in the scope; null if only some of it is. */
  whole: Source | null;
  /** The entities of this name. */
  named(name: string): readonly Entity[];
  /** The entities in which a field without an entity is resolved. */
  entities: readonly Entity[];
  /** The candidates for a misspelled entity. */
  offered: NameList;
  /** The present names of an entity that formerly had this name. */
  renamed(name: string): readonly string[];
  /** The selected tables, and those that were resolved so far. */
  references(): PhysicalReference[];
}

/** A scope in which every name resolves to one entity. */
export function scopeOf(entity: Entity, source: Source | null = null): Scope {
  return {
    source,
    whole: null,
    named: () => [entity],
    entities: [entity],
    offered: new NameList([]),
    renamed: () => [],
    references: () => referencesOf([entity]),
  };
}

function referencesOf(entities: Iterable<Entity>): PhysicalReference[] {
  return [...entities].map(({ reference }) => reference).filter((reference) => reference !== null);
}

function suffixesOf(names: readonly string[]): string[] {
  return names.map((_, index) => names.slice(index).join('.'));
}

/** The scope of a card: its selected entities or, without any, all entities of its source. */
export function createSelection(source: Source, selected: readonly SelectedEntity[]): Scope {
  const { rules } = source;
  const canonical = (name: string) => canonicalName(name, rules, 'tables');
  const exact = new Map<string, Set<Entity>>();
  const folded = new Map<string, Set<Entity>>();
  const add = (index: Map<string, Set<Entity>>, name: string, entity: Entity) =>
    index.set(name, (index.get(name) ?? new Set()).add(entity));
  for (const { entity, written } of selected) {
    const { database = null, schema, table } = entity.table?.qualified ?? {};
    const stored = [database, schema, table].filter((name) => typeof name === 'string');
    for (const name of [...suffixesOf(written), ...suffixesOf(stored)]) add(exact, name, entity);
    for (const name of suffixesOf(written.map(canonical))) add(folded, name, entity);
    for (const name of suffixesOf(stored)) add(folded, canonical(name), entity);
  }
  const isSelective = selected.length > 0;
  const used = new Set(selected.map(({ entity }) => entity));
  const findAnywhere = (name: string) => {
    const { entity } = source.find({ table: name });
    used.add(entity);
    return entity.isBroken ? [] : [entity];
  };
  const names = new NameList(selected.map(({ entity }) => entity.name));
  return {
    source,
    whole: isSelective ? null : source,
    named: (name) =>
      isSelective ? [...(exact.get(name) ?? folded.get(canonical(name)) ?? [])] : findAnywhere(name),
    entities: selected.map(({ entity }) => entity),
    // On demand: a source may have very many names, and most cards need none of them.
    get offered() {
      return isSelective ? names : source.offered({ table: '' });
    },
    renamed: (name) => source.renamed({ table: name }).filter((target) => exact.has(target) || !isSelective),
    references: () => referencesOf(used),
  };
}

/** Entities with distinct columns; one of each kind of entities without columns. */
function distinctEntities(entities: readonly Entity[]): Entity[] {
  const seen = new Set<unknown>();
  return entities.filter(({ columns, isBroken }) => {
    const key = columns ?? isBroken;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The scopes without repetitions: thousands of cards may have all of one source. */
function distinctScopes(scopes: readonly Scope[]): Scope[] {
  return [...new Map(scopes.map((scope) => [scope.whole ?? scope, scope])).values()];
}

/** The scope of a dashboard's filters: everything that any of its cards selects. */
export function createDashboardScope(all: readonly Scope[]): Scope {
  const scopes = distinctScopes(all);
  let offered: NameList | undefined;
  const entities = distinctEntities(scopes.flatMap((scope) => scope.entities));
  const cache = new Map<string, Entity[]>();
  return {
    source: null,
    whole: null,
    entities,
    named(name) {
      const found = cache.get(name) ?? distinctEntities(scopes.flatMap((scope) => scope.named(name)));
      cache.set(name, found);
      return found;
    },
    get offered() {
      return (offered ??= new NameList([...new Set(scopes.flatMap((scope) => scope.offered.names))]));
    },
    renamed: (name) => scopes.flatMap((scope) => scope.renamed(name)),
    references: () => scopes.flatMap((scope) => scope.references()),
  };
}

/** The outcome of resolving a column. It is `broken` when its entity was already reported. */
type ColumnOutcome = 'found' | 'missing' | 'broken' | 'unknown';

function resolveColumn(column: string, entities: readonly Entity[]): ColumnOutcome {
  let isBroken = false;
  let isUnknown = false;
  for (const { columns, isBroken: isThisBroken } of entities) {
    if (columns?.hasColumn(column)) return 'found';
    if (columns === null && isThisBroken) isBroken = true;
    if (columns === null && !isThisBroken) isUnknown = true;
  }
  if (isUnknown) return 'unknown';
  return isBroken ? 'broken' : 'missing';
}

function columnsOf(entities: readonly Entity[]): NameList {
  const [only] = entities;
  if (entities.length === 1 && only?.columns) return only.columns.columns;
  return new NameList([...new Set(entities.flatMap(({ columns }) => columns?.columns.names ?? []))]);
}

function renamesOf(column: string, entities: readonly Entity[]): string[] {
  return entities.flatMap(({ table, connection }) => {
    if (table === null || connection === null) return [];
    return followColumn(table, connection.renames, column) ?? [];
  });
}

/** A reference to a column. */
interface ColumnUse {
  node: TemplateNode;
  column: string;
  code: ValidationCode;
}

/** Resolves a column in some entities and reports it when it is in none. Returns whether it is valid. */
export function checkColumn(report: Report, use: ColumnUse, entities: readonly Entity[]): boolean {
  const { node, column, code } = use;
  const outcome = resolveColumn(column, entities);
  if (outcome !== 'missing') return outcome !== 'broken';
  const names = entities.map(({ name }) => name);
  report.addMissing({
    code,
    path: node.path,
    message: `There is no column ${column} in ${names.length === 0 ? 'any selected entity' : names.slice(0, 5).join(', ')}`,
    written: column,
    field: column,
    entity: names.length === 1 ? names[0] : undefined,
    offered: report.shareOffered(entities, () => columnsOf(entities)),
    isColumn: true,
    renamed: () => renamesOf(column, entities),
  });
  return false;
}

/** The entities of a name in a scope; null when there are none, which is reported. */
export function findEntities(report: Report, scope: Scope, node: TemplateNode): readonly Entity[] | null {
  const name = node.text();
  if (name === null) return null;
  const found = scope.named(name);
  if (found.length > 0) return found;
  report.addMissing({
    code: 'ENTITY_NOT_FOUND',
    path: node.path,
    message: `There is no entity ${name} among those that are selected`,
    written: name,
    entity: name,
    offered: scope.offered,
    isColumn: false,
    renamed: () => scope.renamed(name),
  });
  return null;
}

/**
 * Checks `{entity?, column}`: the entity, and the column in that entity or, without one, in the whole scope.
 */
export function checkField(
  report: Report,
  { field, columnKey, code }: { field: TemplateNode; columnKey: string; code: ValidationCode },
  scope: Scope,
): boolean {
  if (!field.isEntry()) return false;
  const errorsBefore = report.errorCount;
  const entityNode = field.at('entity');
  const entities = entityNode.isAbsent ? scope.entities : findEntities(report, scope, entityNode);
  const node = field.at(columnKey);
  const column = node.requiredText(field);
  if (column === null || entities === null || report.errorCount > errorsBefore) return false;
  return checkColumn(report, { node, column, code }, entities);
}

/** Checks a count of rows, which needs no column: the entity, if it names one, must be selected and exist. */
export function checkRowCount(report: Report, field: TemplateNode, scope: Scope): boolean {
  const node = field.at('entity');
  const entities = node.isAbsent ? scope.entities : findEntities(report, scope, node);
  // A card may select nothing, and then count the rows of any of its entities.
  return entities !== null && (entities.length === 0 || entities.some(({ isBroken }) => !isBroken));
}
