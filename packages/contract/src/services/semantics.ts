import { z } from 'zod';
import { rule } from '../fieldErrors.js';
import {
  Catalog,
  CatalogChange,
  CatalogInput,
  Connection,
  ConnectionConfigInput,
  ConnectionName,
  ConnectionSummary,
  ConnectionType,
  ServerConfig,
  SqlDialect,
  SqliteConfig,
  StaticConfig,
} from '../records/catalog.js';
import {
  AssistantProfile,
  DataModel,
  DataModelSummary,
  Domain,
  DomainLabel,
  DomainName,
  ModelTemplate,
} from '../records/semantics.js';
import { Id, label, text, Timestamp } from '../vocabulary.js';
import { semanticCopies } from './copies.js';
import { ListSlice, NextCursor, Search } from './listSlice.js';
import { updateOf } from './update.js';
import { compilerToo, mutation, query, systemOnly } from './procedure.js';

const ById = z.strictObject({ id: Id });
const Message = { message: z.string() };
const Deleted = z.object({ id: Id, name: z.string() });
const Description = text(0, 5000);

const ByDomainId = z.strictObject({ domainId: Id });
const domains = {
  /** Those that the token's `semanticDomainAccess` lets it see, by name. */
  list: query(z.strictObject(ListSlice), z.object({ domains: z.array(Domain), ...NextCursor })),
  create: mutation(
    z.strictObject({ name: DomainName, label: DomainLabel.optional(), description: Description.default('') }),
    z.object({ domain: Domain }),
  ),
  get: query(ByDomainId, z.object({ domain: Domain })),
  update: mutation(
    z
      .strictObject({
        domainId: Id,
        name: DomainName.optional(),
        label: DomainLabel.optional(),
        description: Description.optional(),
      })
      .refine(
        ({ name, label: given, description }) =>
          [name, given, description].some((field) => field !== undefined),
        { path: ['body'], ...rule('at least one of name, label and description is required', 'required') },
      ),
    z.object({ domain: Domain }),
  ),
  delete: mutation(ByDomainId, z.object({ ...Message, deletedDomain: Deleted })),
  getTemplate: query(ByDomainId, z.object({ domain: Domain, template: ModelTemplate })),
  putTemplate: mutation(
    z.strictObject({ domainId: Id, ...ModelTemplate.shape }),
    z.object({ domain: Domain, template: ModelTemplate }),
  ),
  /** Which of the given names and ids name no domain of the project: for tokens that carry them. */
  findUnknown: systemOnly(
    query(
      z.strictObject({ organizationId: Id, projectId: Id, domains: z.array(text(1, 200)).max(1000) }),
      z.object({ unknown: z.array(z.string()) }),
    ),
  ),
};

/** The schema of `config` follows from `type`; the operation applies it and names the field that is wrong. */
export const CONNECTION_CONFIGS = {
  postgres: ServerConfig,
  mysql: ServerConfig,
  sqlite: SqliteConfig,
  static: StaticConfig,
} as const satisfies Record<ConnectionType, z.ZodObject>;
const Governance = { rowBarrier: z.boolean(), unassignedActors: z.enum(['deny', 'allow']) };

const connections = {
  list: query(
    z.strictObject({ search: Search, ...ListSlice }),
    z.object({ connections: z.array(ConnectionSummary), ...NextCursor }),
  ),
  create: mutation(
    z.strictObject({
      name: ConnectionName,
      type: ConnectionType,
      config: ConnectionConfigInput,
      /** For a `static` connection alone: the others read theirs from the database. */
      catalog: CatalogInput.optional(),
      rowBarrier: Governance.rowBarrier.default(false),
      unassignedActors: Governance.unassignedActors.default('deny'),
    }),
    z.object({ connection: Connection }),
  ),
  get: query(ById, z.object({ connection: Connection })),
  update: mutation(
    updateOf({
      name: ConnectionName.optional(),
      /**
       * Replaces the whole configuration. An omitted password stays, unless host, port, user or tls change.
       */
      config: ConnectionConfigInput.optional(),
      catalog: CatalogInput.optional(),
      rowBarrier: Governance.rowBarrier.optional(),
      unassignedActors: Governance.unassignedActors.optional(),
    }),
    z.object({ connection: Connection }),
  ),
  /** Rejected while policy definitions, domains or data models refer to it. */
  delete: mutation(ById, z.object({ ...Message, deletedConnection: Deleted })),
  /** Reads the catalog from the real database; a `static` connection takes it from `catalog`. */
  introspect: mutation(
    z.strictObject({ id: Id, catalog: CatalogInput.optional() }),
    z.object({ connection: Connection, changes: z.array(CatalogChange) }),
  ),
  /** What changed between two versions of the catalog; by default between the last two. */
  changes: query(
    z.strictObject({
      id: Id,
      from: z.number().int().min(0).optional(),
      to: z.number().int().min(1).optional(),
      ...ListSlice,
    }),
    z.object({
      connectionId: Id,
      /** 0 stands for the time before the first catalog. */
      from: z.number().int(),
      to: z.number().int(),
      changes: z.array(CatalogChange),
      ...NextCursor,
    }),
  ),
  /**
   * The facts about one connection of the caller's project that the resolution of policies needs; null if
   * there is none. The catalog is omitted if the caller already has the current version.
   */
  describe: compilerToo(
    query(
      z.strictObject({ connectionId: Id, knownCatalogVersion: z.number().int().optional() }),
      z.object({
        connection: ConnectionSummary.nullable(),
        catalog: Catalog.nullable().optional(),
      }),
    ),
  ),
  /** The names of several connections of the caller's project, for lists that refer to them. */
  names: query(
    z.strictObject({ ids: z.array(Id).max(10_000) }),
    z.object({
      connections: z.array(z.object({ id: Id, name: z.string(), type: ConnectionType, dialect: SqlDialect })),
    }),
  ),
};

const datamodels = {
  list: query(z.strictObject(ListSlice), z.object({ datamodels: z.array(DataModelSummary), ...NextCursor })),
  create: mutation(
    z.strictObject({
      name: label(200),
      description: Description.default(''),
      connectionId: Id,
      template: ModelTemplate.optional(),
    }),
    z.object({ datamodel: DataModel }),
  ),
  get: query(ById, z.object({ datamodel: DataModel })),
  update: mutation(
    updateOf({
      name: label(200).optional(),
      description: Description.optional(),
      connectionId: Id.optional(),
      template: ModelTemplate.optional(),
    }),
    z.object({ datamodel: DataModel }),
  ),
  delete: mutation(ById, z.object({ ...Message, deletedDatamodel: Deleted })),
};

const Instructions = text(0, 20_000);
const assistantProfiles = {
  list: query(
    z.strictObject(ListSlice),
    z.object({ assistantProfiles: z.array(AssistantProfile), ...NextCursor }),
  ),
  create: mutation(
    z.strictObject({
      name: label(200),
      description: Description.default(''),
      instructions: Instructions.default(''),
    }),
    z.object({ assistantProfile: AssistantProfile }),
  ),
  get: query(ById, z.object({ assistantProfile: AssistantProfile })),
  update: mutation(
    updateOf({
      name: label(200).optional(),
      description: Description.optional(),
      instructions: Instructions.optional(),
    }),
    z.object({ assistantProfile: AssistantProfile }),
  ),
  delete: mutation(ById, z.object({ ...Message, deletedAssistantProfile: Deleted })),
};

/** A table by its names in a catalog. `database` is absent in a catalog of one database. */
const TableName = z.object({ database: z.string().optional(), schema: z.string(), table: z.string() });

const FactConnection = z.object({
  id: Id,
  name: z.string(),
  type: ConnectionType,
  dialect: SqlDialect,
  catalogVersion: z.number().int().nullable(),
  /**
   * Null while there is none. Omitted if the caller already has this version, or if the response would be too
   * large with it: the next request, with the versions that the caller then has, returns the others.
   */
  catalog: Catalog.nullable().optional(),
  /** Columns and tables that were renamed in the stored versions, oldest first; omitted with the catalog. */
  renames: z.array(CatalogChange).optional(),
  /** The tables that changed since the requested moment; omitted if none was requested. */
  changedTables: z.array(TableName).optional(),
});
export type FactConnection = z.infer<typeof FactConnection>;

/**
 * The facts that dashboards are validated against: everything in the caller's project that its token permits,
 * in one response.
 */
const facts = {
  load: query(
    z.strictObject({
      /** Catalogs that the caller already has. */
      known: z
        .array(z.object({ connectionId: Id, catalogVersion: z.number().int() }))
        .max(10_000)
        .default([]),
      /** Requests the tables that changed at this moment or later. */
      changedSince: Timestamp.optional(),
    }),
    z.object({
      connections: z.array(FactConnection),
      domains: z.array(z.object({ id: Id, name: z.string(), label: z.string(), template: ModelTemplate })),
      datamodels: z.array(z.object({ id: Id, name: z.string(), connectionId: Id, template: ModelTemplate })),
      assistantProfiles: z.array(z.object({ id: Id, name: z.string() })),
      /**
       * Whether the caller may not read connections, data models and profiles: none of them is listed then.
       */
      isLimited: z.boolean().optional(),
    }),
  ),
};

/** Semantic domains, data models, assistant profiles, connections and their catalogs. */
export const semantics = {
  name: 'semantics' as const,
  procedures: { domains, connections, datamodels, assistantProfiles, facts, copies: semanticCopies },
};
