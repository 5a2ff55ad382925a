import type {
  Catalog,
  CatalogChange,
  JsonObject,
  ModelTemplate,
  SqlDialect,
  ValidationOptions,
} from '@gatehouse/contract';
import { CatalogIndex } from '../validation/logic/catalogIndex.js';
import { RenameIndex } from '../validation/logic/renames.js';
import { ModelFacts, type SchemaFacts } from '../validation/logic/schema.js';
import type { ValidationFacts } from '../validation/logic/visuals.js';
import { inspectVisual } from './runValidation.js';

/** Columns by table: `orders`, or `sales.orders`. */
export type Tables = Record<string, readonly string[]>;

export interface ConnectionSketch {
  dialect?: SqlDialect;
  defaultSchema?: string | null;
  /** Null when the catalog was never read. */
  tables?: Tables | null;
  /** Replaces `tables`. */
  catalog?: Catalog;
  renames?: CatalogChange[];
  changed?: { database?: string; schema: string; table: string }[];
}

/** A short description of a project. */
export interface FactsSketch {
  connections?: Record<string, ConnectionSketch>;
  domains?: Record<string, Partial<ModelTemplate>>;
  datamodels?: Record<string, Partial<ModelTemplate> & { connectionId: string }>;
  assistantProfiles?: string[];
  /** The frame object of each visual. */
  visuals?: Record<string, JsonObject | null>;
}

const DEFAULT_SCHEMA = 'public';

/** The catalog of these tables. */
export function catalogOf(tables: Tables, defaultSchema: string | null = DEFAULT_SCHEMA): Catalog {
  const schemas = new Map<
    string,
    { name: string; columns: { name: string; type: string }[]; kind: 'table' }[]
  >();
  for (const [name, columns] of Object.entries(tables)) {
    const [first = '', second] = name.split('.');
    const [schema, table] = second === undefined ? [defaultSchema ?? DEFAULT_SCHEMA, first] : [first, second];
    const inSchema = schemas.get(schema) ?? [];
    schemas.set(schema, inSchema);
    const named = columns.map((column) => ({ name: column, type: 'text' }));
    inSchema.push({ name: table, columns: named, kind: 'table' });
  }
  return { defaultSchema, schemas: [...schemas].map(([name, inSchema]) => ({ name, tables: inSchema })) };
}

const modelOf = ({ datasets = [], relationships = [], calculatedFields = [] }: Partial<ModelTemplate>) => ({
  datasets,
  relationships,
  calculatedFields,
});

function connectionFacts([id, sketch]: [string, ConnectionSketch]) {
  const { dialect = 'postgres', defaultSchema = DEFAULT_SCHEMA, tables = {}, renames = [] } = sketch;
  const { catalog = tables === null ? null : catalogOf(tables, defaultSchema), changed } = sketch;
  const index = catalog === null ? null : new CatalogIndex(catalog, dialect);
  const changedIndex = changed === undefined ? null : (index?.withTables(changed) ?? null);
  return [
    id,
    {
      id,
      name: `Name of ${id}`,
      catalog: index,
      renames: new RenameIndex(renames),
      changed: changedIndex,
    },
  ] as const;
}

/** The facts that the service would load for this project. */
export function factsOf(sketch: FactsSketch, options: ValidationOptions): ValidationFacts {
  const { connections = {}, domains = {}, datamodels = {}, assistantProfiles = [], visuals = {} } = sketch;
  const schema: SchemaFacts = {
    connections: new Map(Object.entries(connections).map(connectionFacts)),
    domains: new Map(
      Object.entries(domains).map(([id, model]) => [
        id,
        new ModelFacts({ id, name: `Name of ${id}`, template: modelOf(model) }),
      ]),
    ),
    datamodels: new Map(
      Object.entries(datamodels).map(([id, { connectionId, ...model }]) => [
        id,
        new ModelFacts({ id, name: `Name of ${id}`, template: modelOf(model) }, connectionId),
      ]),
    ),
    assistantProfiles: new Map(assistantProfiles.map((id) => [id, { name: `Name of ${id}` }])),
  };
  const inspected = Object.entries(visuals).map(
    ([id, frameObject]) =>
      [
        id,
        inspectVisual({ title: `Title of ${id}`, isReadable: true, frameObject }, schema, options),
      ] as const,
  );
  return { ...schema, visuals: new Map(inspected) };
}

/** The default options. */
export const DEFAULT_OPTIONS: ValidationOptions = {
  validateFilters: true,
  validateJoins: true,
  validateAIContext: true,
  validateAssistantProfile: true,
  validateLinkedVisuals: true,
  includeAvailableColumns: true,
  includeSuggestions: true,
  maxSuggestionsPerField: 3,
};
