import type { ValidationCode } from '@gatehouse/contract';
import { checkColumn } from './columns.js';
import type { Entity, PhysicalReference } from './schema.js';
import { canonicalName, splitName } from './identifiers.js';
import type { TemplateNode } from './templateNode.js';
import { SEARCH_LOOKUPS, type Report } from './report.js';
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
  /** The entities of this name: the same list each time, unless it is very long or has one entity. */
  named(name: string): readonly Entity[];
  /** The number of selections and sources in which a name is looked up. */
  size: number;
  /** The entities in which a field without an entity is resolved. */
  entities: readonly Entity[];
  /** The candidates for a misspelled entity. */
  offered: NameList;
  /** The present names of an entity that formerly had this name. */
  renamed(name: string): readonly string[];
  /** Whether an entity of exactly this name may be selected. */
  selects(name: string): boolean;
  /** The selected tables, and those that were resolved so far. */
  references(): PhysicalReference[];
}

/** A scope in which every name resolves to one entity. */
export function scopeOf(entity: Entity, source: Source | null = null): Scope {
  return {
    source,
    whole: null,
    named: () => [entity],
    size: 1,
    entities: [entity],
    offered: new NameList([]),
    renamed: () => [],
    selects: () => false,
    references: () => referencesOf([entity]),
  };
}

function referencesOf(entities: Iterable<Entity>): PhysicalReference[] {
  return [...entities].map(({ reference }) => reference).filter((reference) => reference !== null);
}

const NO_ENTITIES: readonly Entity[] = [];

function suffixesOf(names: readonly string[]): string[] {
  return names.map((_, index) => names.slice(index).join('.'));
}

/** The most parts of a qualified name: a database, a schema and a table. */
const PARTS_MAX = 3;

/** The names that a qualified name may mean: each of its parts is exact, or folds by itself. */
function readingsOf(name: string, { rules }: Source): string[] {
  const parts = splitName(name, rules);
  const fold = (part: string) => canonicalName(part, rules, 'tables');
  if (parts.length > PARTS_MAX) return [parts.map(fold).join('.')];
  const formsOf = (part: string) => [...new Set([part, fold(part)])];
  const [first = '', ...others] = parts;
  return others.reduce(
    (readings, part) => readings.flatMap((before) => formsOf(part).map((form) => `${before}.${form}`)),
    formsOf(first),
  );
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
    const stored = source.namesOf(entity);
    for (const name of [...suffixesOf(written), ...suffixesOf(stored)]) add(exact, name, entity);
    // An entity that is in the source has the name there: a name that folds to another is not its name.
    const names = stored.length > 0 ? stored.map(rules.tables.stored) : written.map(canonical);
    for (const name of suffixesOf(names)) add(folded, name, entity);
  }
  const isSelective = selected.length > 0;
  // Names, because the scopes of thousands of cards may each look up thousands of them.
  const used = new Set<string>();
  const findAnywhere = (name: string) => {
    used.add(name);
    const entity = source.findNamed(name);
    return entity.isBroken ? NO_ENTITIES : [entity];
  };
  const lists = new Map<Set<Entity>, readonly Entity[]>();
  const findSelected = (name: string) => {
    const reading = exact.has(name) ? undefined : readingsOf(name, source).find((each) => folded.has(each));
    const found = exact.get(name) ?? folded.get(reading ?? '');
    if (found === undefined) return NO_ENTITIES;
    const list = lists.get(found) ?? [...found];
    lists.set(found, list);
    return list;
  };
  const selects = (name: string) => !isSelective || exact.has(name);
  const names = new NameList(selected.map(({ entity }) => entity.name));
  return {
    source,
    whole: isSelective ? null : source,
    named: isSelective ? findSelected : findAnywhere,
    size: 1,
    entities: selected.map(({ entity }) => entity),
    // On demand: a source may have very many names, and most cards need none of them.
    get offered() {
      return isSelective ? names : source.offered({ table: '' });
    },
    renamed: (name) => source.renamed({ table: name }).filter(selects),
    selects,
    references: () =>
      referencesOf([...selected.map(({ entity }) => entity), ...[...used].map(source.findNamed)]),
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

/** The scopes of each source; those without a source have no renames. */
function groupBySource(scopes: readonly Scope[]): Map<Source, Scope[]> {
  const groups = new Map<Source, Scope[]>();
  for (const scope of scopes) {
    if (scope.source === null) continue;
    const group = groups.get(scope.source);
    if (group === undefined) groups.set(scope.source, [scope]);
    else group.push(scope);
  }
  return groups;
}

/** The most entities that a dashboard's scope keeps for repeated names. */
const KEPT_MAX = 1_000_000;

/** The scope of a dashboard's filters: everything that any of its cards selects. */
export function createDashboardScope(all: readonly Scope[]): Scope {
  const scopes = distinctScopes(all);
  let offered: NameList | undefined;
  const entities = distinctEntities(scopes.flatMap((scope) => scope.entities));
  const bySource = groupBySource(scopes);
  const cache = new Map<string, Entity[]>();
  let kept = 0;
  return {
    source: null,
    whole: null,
    entities,
    named(name) {
      const before = cache.get(name);
      if (before !== undefined) return before;
      const named: Entity[] = [];
      for (const scope of scopes) named.push(...scope.named(name));
      const found = distinctEntities(named);
      kept += found.length;
      if (kept <= KEPT_MAX) cache.set(name, found);
      return found;
    },
    size: scopes.length,
    get offered() {
      return (offered ??= new NameList([...new Set(scopes.flatMap((scope) => scope.offered.names))]));
    },
    // Follows the renames of each source once, however many of its scopes there are.
    renamed: (name) =>
      [...bySource].flatMap(([source, group]) =>
        source.renamed({ table: name }).filter((target) => group.some((scope) => scope.selects(target))),
      ),
    selects: (name) => scopes.some((scope) => scope.selects(name)),
    references: () => scopes.flatMap((scope) => scope.references()),
  };
}

/** The entities of a name in a scope; null when there are none, which is reported. */
export function findEntities(report: Report, scope: Scope, node: TemplateNode): readonly Entity[] | null {
  const name = node.text();
  if (name === null) return null;
  report.lookups.spend(SEARCH_LOOKUPS * scope.size, node);
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
