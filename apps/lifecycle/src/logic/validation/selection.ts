import type { ValidationCode } from '@gatehouse/contract';
import type { Entity, PhysicalReference } from './facts.js';
import { canonicalName } from './names.js';
import type { Place } from './place.js';
import { followColumn } from './renames.js';
import type { Report } from './report.js';
import type { Source } from './sources.js';
import { NameList } from './suggestions.js';

/** An entity and the names under which a card selects it, from the table's own to the most qualified. */
export interface SelectedEntity {
  entity: Entity;
  /** As the template has them, the table's last. */
  written: readonly string[];
}

/** The entities in which the fields of a card, or of a dashboard's filters, are looked up. */
export interface Scope {
  /** Where they come from; null when that does not exist or cannot be looked into, and for several together. */
  source: Source | null;
  /** Those of this name; none when it is not among them. */
  named(name: string): readonly Entity[];
  /** Those in which a field without an entity is looked up. */
  entities: readonly Entity[];
  /** The names that could have been meant for an entity. */
  offered: NameList;
  /** The present names of an entity that was once called so. */
  renamed(name: string): readonly string[];
  /** The tables that it has been asked about so far, and those that are selected. */
  references(): PhysicalReference[];
}

/** A scope of one entity that stands for all. */
export function scopeOf(entity: Entity, source: Source | null = null): Scope {
  return {
    source,
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

/** The scope of a card: what it selects or, where it selects nothing, what its source has of the name. */
export function createSelection(source: Source, selected: readonly SelectedEntity[]): Scope {
  const { rules } = source;
  const canonical = (name: string) => canonicalName(name, rules, 'tables');
  const exact = new Map<string, Set<Entity>>();
  const folded = new Map<string, Set<Entity>>();
  const add = (index: Map<string, Set<Entity>>, name: string, entity: Entity) =>
    index.set(name, (index.get(name) ?? new Set()).add(entity));
  for (const { entity, written } of selected) {
    const { database = null, schema, table } = entity.table?.place ?? {};
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
    named: (name) =>
      isSelective ? [...(exact.get(name) ?? folded.get(canonical(name)) ?? [])] : findAnywhere(name),
    entities: selected.map(({ entity }) => entity),
    offered: isSelective ? names : source.offered({ table: '' }),
    renamed: (name) => source.renamed({ table: name }).filter((target) => exact.has(target) || !isSelective),
    references: () => referencesOf(used),
  };
}

/** What looking for a column came to. `unknown` is where nothing can be said, `broken` where it was said already. */
export type ColumnOutcome = 'found' | 'missing' | 'broken' | 'unknown';

function lookFor(column: string, entities: readonly Entity[]): ColumnOutcome {
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

// Many fields of a card are looked up in the same entities, and the union of their columns may be long.
const unions = new WeakMap<readonly Entity[], NameList>();

function columnsOf(entities: readonly Entity[]): NameList {
  const [only] = entities;
  if (entities.length === 1 && only?.columns) return only.columns.columns;
  const known = unions.get(entities);
  if (known !== undefined) return known;
  const union = new NameList([...new Set(entities.flatMap(({ columns }) => columns?.columns.names ?? []))]);
  unions.set(entities, union);
  return union;
}

function renamesOf(column: string, entities: readonly Entity[]): string[] {
  return entities.flatMap(({ table, connection }) => {
    if (table === null || connection === null) return [];
    return followColumn(table, connection.renames, column) ?? [];
  });
}

/** A column to be looked for. */
export interface ColumnUse {
  place: Place;
  column: string;
  code: ValidationCode;
}

/** Looks for a column in some entities and reports it when it is in none. Answers whether it is valid. */
export function checkColumn(report: Report, use: ColumnUse, entities: readonly Entity[]): boolean {
  const { place, column, code } = use;
  const outcome = lookFor(column, entities);
  if (outcome !== 'missing') return outcome !== 'broken';
  const names = entities.map(({ name }) => name);
  report.addMissing({
    code,
    path: place.path,
    message: `There is no column ${column} in ${names.length === 0 ? 'any selected entity' : names.slice(0, 5).join(', ')}`,
    written: column,
    field: column,
    entity: names.length === 1 ? names[0] : undefined,
    offered: columnsOf(entities),
    isColumn: true,
    renamed: () => renamesOf(column, entities),
  });
  return false;
}

/** The entities of a name in a scope; null, reported, when there are none. */
export function findEntities(report: Report, scope: Scope, place: Place): readonly Entity[] | null {
  const name = place.text();
  if (name === null) return null;
  const found = scope.named(name);
  if (found.length > 0) return found;
  report.addMissing({
    code: 'ENTITY_NOT_FOUND',
    path: place.path,
    message: `There is no entity ${name} among those that are selected`,
    written: name,
    entity: name,
    offered: scope.offered,
    isColumn: false,
    renamed: () => scope.renamed(name),
  });
  return null;
}

/** Checks `{entity?, column}`: the entity, and the column in it or, without one, in all of the scope. */
export function checkField(
  report: Report,
  { field, columnKey, code }: { field: Place; columnKey: string; code: ValidationCode },
  scope: Scope,
): boolean {
  if (!field.isEntry()) return false;
  const errorsBefore = report.errorCount;
  const entityPlace = field.at('entity');
  const entities = entityPlace.isAbsent ? scope.entities : findEntities(report, scope, entityPlace);
  const place = field.at(columnKey);
  const column = place.requiredText(field);
  if (column === null || entities === null || report.errorCount > errorsBefore) return false;
  return checkColumn(report, { place, column, code }, entities);
}
