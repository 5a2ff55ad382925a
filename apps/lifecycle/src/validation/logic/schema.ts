import type { ModelTemplate } from '@gatehouse/contract';
import type { CatalogIndex, ColumnSet, IndexedTable, TableReference } from './catalogIndex.js';
import { NameIndex, OWN_NAMES } from './identifiers.js';
import type { RenameIndex } from './renames.js';
import { NameList } from './suggestions.js';

export interface ConnectionFacts {
  id: string;
  name: string;
  /** Null when the catalog was never read. */
  catalog: CatalogIndex | null;
  renames: RenameIndex;
  /** The tables that changed since the requested time; null without changes, or without a requested time. */
  changed: CatalogIndex | null;
}

/** A dataset of a semantic domain or a data model. */
export interface Dataset {
  name: string;
  connectionId: string | null;
  table: TableReference;
  calculatedFields: readonly string[];
}

/** A semantic domain or a data model. Its datasets are indexed on first use. */
export class ModelFacts {
  readonly id: string;
  readonly name: string;
  readonly #template: ModelTemplate;
  readonly #connectionId: string | null;
  #datasets: NameIndex<Dataset> | undefined;
  #names: NameList | undefined;

  /** `connectionId` is that of a data model. The datasets of a domain each have their own. */
  constructor(
    { id, name, template }: { id: string; name: string; template: ModelTemplate },
    connectionId?: string,
  ) {
    this.id = id;
    this.name = name;
    this.#template = template;
    this.#connectionId = connectionId ?? null;
  }

  findDataset(name: string): Dataset | null {
    this.#datasets ??= new NameIndex(this.#entries(), OWN_NAMES, 'tables');
    return this.#datasets.find(name);
  }

  get datasetNames(): NameList {
    return (this.#names ??= new NameList(this.#template.datasets.map(({ name }) => name)));
  }

  #entries() {
    const { datasets, calculatedFields } = this.#template;
    const fieldsOf = new Map<string, string[]>();
    for (const { dataset, name } of calculatedFields) {
      const fields = fieldsOf.get(dataset);
      if (fields === undefined) fieldsOf.set(dataset, [name]);
      else fields.push(name);
    }
    return datasets.map(({ name, connectionId, database, schema, table }): [string, Dataset] => [
      name,
      {
        name,
        connectionId: connectionId ?? this.#connectionId,
        table: { database, schema, table },
        calculatedFields: fieldsOf.get(name) ?? [],
      },
    ]);
  }
}

/** The records of one project that its token may read, by id. */
export interface SchemaFacts {
  connections: ReadonlyMap<string, ConnectionFacts>;
  domains: ReadonlyMap<string, ModelFacts>;
  datamodels: ReadonlyMap<string, ModelFacts>;
  assistantProfiles: ReadonlyMap<string, { name: string }>;
  /**
   * Whether the caller may not read connections, data models and assistant profiles. Then none is loaded, and
   * a result must not differ between an existing and a missing record.
   */
  isLimited?: boolean | undefined;
}

/** A referenced table, by its names in the catalog or, if it is not there, in the template. */
export interface PhysicalReference extends TableReference {
  connectionId: string;
}

/** The entity of a name in a template. */
export interface Entity {
  name: string;
  /** Null when they are unknown. */
  columns: ColumnSet | null;
  /** Whether it is missing. It is reported where it is selected, so its columns are not reported. */
  isBroken: boolean;
  table: IndexedTable | null;
  connection: ConnectionFacts | null;
  reference: PhysicalReference | null;
}

const NOWHERE = { name: '', columns: null, table: null, connection: null, reference: null } as const;
/** Stands for any entity of a source that does not exist. */
export const BROKEN_ENTITY: Entity = { ...NOWHERE, isBroken: true };
/** Stands for any entity of a source that cannot be read. */
export const UNKNOWN_ENTITY: Entity = { ...NOWHERE, isBroken: false };
