import type { ValidationCode } from '@gatehouse/contract';
import type { CatalogIndex, ColumnSet, IndexedTable, TableReference } from './catalogIndex.js';
import type { ConnectionFacts, Dataset, Entity, ModelFacts, SchemaFacts } from './schema.js';
import { OWN_NAMES, splitName, type NameRules } from './identifiers.js';
import { followTable } from './renames.js';
import { NameList } from './suggestions.js';

export interface Resolved {
  entity: Entity;
  problem: { code: ValidationCode; message: string } | null;
}

/** The source of a card's entities: a connection's catalog, a semantic domain or a data model. */
export interface Source {
  /** The id of the connection, domain or data model. */
  id: string;
  rules: NameRules;
  find(reference: TableReference): Resolved;
  /** The entity that a field names, as `table` or `schema.table`. */
  findNamed(name: string): Entity;
  /** The names of an entity, the most qualified first. None if it is not in the source. */
  namesOf(entity: Entity): readonly string[];
  /** The candidates for a misspelled name. */
  offered(reference: TableReference): NameList;
  /** The present names of tables that formerly had this name. */
  renamed(reference: TableReference): string[];
}

/** The tables of a connection with a catalog. */
export function createDatabaseSource(connection: ConnectionFacts, catalog: CatalogIndex): Source {
  const find = (reference: TableReference): Resolved => {
    const table = catalog.findTable(reference);
    const entity = entityOf(reference.table, connection, { reference, table });
    const message = `There is no table ${describeTable(reference)} in connection ${connection.name}`;
    return { entity, problem: table === null ? { code: 'ENTITY_NOT_FOUND', message } : null };
  };
  return {
    id: connection.id,
    rules: catalog.rules,
    find,
    findNamed(name) {
      const { entity } = find({ table: name });
      const parts = splitName(name, catalog.rules);
      if (!entity.isBroken || parts.length === 1) return entity;
      // Either name may have dots of its own.
      const qualified = [1, parts.length - 1].map((count) => {
        const [schema, table] = [parts.slice(0, count).join('.'), parts.slice(count).join('.')];
        return find({ schema, table }).entity;
      });
      return qualified.find(({ isBroken }) => !isBroken) ?? entity;
    },
    namesOf({ table }) {
      const { database, schema, table: name } = table?.qualified ?? {};
      return [database, schema, name].filter((each) => typeof each === 'string');
    },
    offered: (reference) => catalog.tableNames(reference),
    renamed: (reference) =>
      followTable(catalog, connection.renames, reference).map(({ qualified }) => qualified.table),
  };
}

function describeTable({ database, schema, table }: TableReference): string {
  return [database, schema, table].filter((name) => name !== undefined).join('.');
}

function entityOf(
  name: string,
  connection: ConnectionFacts,
  { reference, table }: { reference: TableReference; table: IndexedTable | null },
): Entity {
  const { database, ...names } = table?.qualified ?? { ...reference, database: reference.database ?? null };
  return {
    name,
    columns: table,
    isBroken: table === null,
    table,
    connection,
    reference: { ...names, ...(database === null ? {} : { database }), connectionId: connection.id },
  };
}

/** The columns of a dataset: those of its table and its calculated fields. */
class DatasetColumns implements ColumnSet {
  readonly columns: NameList;
  readonly #table: IndexedTable;
  readonly #calculated: ReadonlySet<string>;

  constructor(table: IndexedTable, calculatedFields: readonly string[]) {
    this.columns = NameList.joined([table.columns, new NameList(calculatedFields)]);
    this.#table = table;
    this.#calculated = new Set(calculatedFields);
  }

  hasColumn(written: string): boolean {
    return this.#calculated.has(written) || this.#table.hasColumn(written);
  }
}

/**
 * The datasets of a domain or a data model. A dataset without a connection uses the one of the card, if it
 * has one.
 */
export function createModelSource(
  model: ModelFacts,
  facts: SchemaFacts,
  cardConnectionId: string | null,
): Source {
  const cache = new Map<string, Resolved>();
  const find = ({ table: name }: TableReference): Resolved => {
    const dataset = model.findDataset(name);
    if (dataset === null) {
      // It is not kept: a template may look up very many names in very many sources.
      const message = `There is no dataset ${name} in ${model.name}`;
      return { entity: brokenEntity(name), problem: { code: 'ENTITY_NOT_FOUND', message } };
    }
    const resolved = cache.get(name) ?? resolveDataset(dataset, facts, cardConnectionId);
    cache.set(name, resolved);
    return resolved;
  };
  return {
    id: model.id,
    rules: OWN_NAMES,
    find,
    findNamed: (name) => find({ table: name }).entity,
    // Not those of its table, which may be the names of another dataset.
    namesOf: ({ name }) => [name],
    offered: () => model.datasetNames,
    renamed: () => [],
  };
}

function brokenEntity(name: string): Entity {
  return { name, columns: null, isBroken: true, table: null, connection: null, reference: null };
}

function resolveDataset(
  { name, connectionId, table: reference, calculatedFields }: Dataset,
  { connections, isLimited }: SchemaFacts,
  cardConnectionId: string | null,
): Resolved {
  const connection = connections.get(connectionId ?? cardConnectionId ?? '');
  if (isLimited) {
    const message = `The caller may not read connections, so dataset ${name} is not checked`;
    const entity = { ...brokenEntity(name), isBroken: false };
    return { entity, problem: { code: 'CATALOG_UNAVAILABLE', message } };
  }
  if (connection === undefined) {
    const message = `The connection of dataset ${name} does not exist`;
    return { entity: brokenEntity(name), problem: { code: 'CONNECTION_NOT_FOUND', message } };
  }
  if (connection.catalog === null) {
    const message = `The catalog of connection ${connection.name} has not been read, so dataset ${name} is not checked`;
    const entity = { ...entityOf(name, connection, { reference, table: null }), isBroken: false };
    return { entity, problem: { code: 'CATALOG_UNAVAILABLE', message } };
  }
  const table = connection.catalog.findTable(reference);
  const entity = entityOf(name, connection, { reference, table });
  if (table === null) {
    const message = `The table ${describeTable(reference)} of dataset ${name} is not in connection ${connection.name}`;
    return { entity, problem: { code: 'ENTITY_NOT_FOUND', message } };
  }
  const columns = calculatedFields.length === 0 ? table : new DatasetColumns(table, calculatedFields);
  return { entity: { ...entity, columns }, problem: null };
}
