import type { ModelTemplate } from '@gatehouse/contract';
import type { CatalogIndex, ColumnSet, IndexedTable, TableReference } from './catalogIndex.js';
import { NameIndex, OWN_NAMES } from './names.js';
import type { Renames } from './renames.js';
import { NameList } from './suggestions.js';

export interface ConnectionFacts {
  id: string;
  name: string;
  /** Null when the catalog was never read. */
  catalog: CatalogIndex | null;
  renames: Renames;
  /** The tables that changed since the asked moment; null where none did, or nobody asked. */
  changed: CatalogIndex | null;
}

/** A dataset of a semantic domain or a data model. */
export interface Dataset {
  name: string;
  connectionId: string | null;
  table: TableReference;
  calculatedFields: readonly string[];
}

/** A semantic domain or a data model. Its datasets are made findable when the first is looked for. */
export class ModelFacts {
  readonly id: string;
  readonly name: string;
  readonly #template: ModelTemplate;
  readonly #connectionId: string | null;
  #datasets: NameIndex<Dataset> | undefined;
  #names: NameList | undefined;

  /** `connectionId` is that of a data model; the datasets of a domain each have their own. */
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

/** What cards are validated against: one project, as its token may know it. By id, each. */
export interface SchemaFacts {
  connections: ReadonlyMap<string, ConnectionFacts>;
  domains: ReadonlyMap<string, ModelFacts>;
  datamodels: ReadonlyMap<string, ModelFacts>;
  assistantProfiles: ReadonlyMap<string, { name: string }>;
}

/** A table that a template refers to, as it names it where the catalog has none of the name. */
export interface PhysicalReference extends TableReference {
  connectionId: string;
}

/** What a name of a template stands for. */
export interface Entity {
  name: string;
  /** Null when it is not known. */
  columns: ColumnSet | null;
  /** It is reported where it is selected, so that nothing is said of its columns. */
  isBroken: boolean;
  table: IndexedTable | null;
  connection: ConnectionFacts | null;
  reference: PhysicalReference | null;
}

const NOWHERE = { name: '', columns: null, table: null, connection: null, reference: null } as const;
/** Stands for whatever is in a source that does not exist. */
export const BROKEN_ENTITY: Entity = { ...NOWHERE, isBroken: true };
/** Stands for whatever is in a source that cannot be looked into. */
export const UNKNOWN_ENTITY: Entity = { ...NOWHERE, isBroken: false };
