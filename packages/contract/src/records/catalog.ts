import { z } from 'zod';
import type { FieldErrorCode } from '../errors.js';
import { rule } from '../fieldErrors.js';
import { Id, label, text, Timestamp } from '../vocabulary.js';

/** The SQL dialects of statements and rules. */
export const SQL_DIALECTS = [
  'postgres',
  'mysql',
  'sqlite',
  'duckdb',
  'snowflake',
  'bigquery',
  'mssql',
] as const;
export const SqlDialect = z.enum(SQL_DIALECTS);
export type SqlDialect = z.infer<typeof SqlDialect>;

/** The name of a schema, table or column in a database: any text, quoted names included. */
export const SqlName = text(1, 200);

export const CatalogColumn = z.strictObject({
  name: SqlName,
  type: text(0, 200).default(''),
  /** The collation of a text column that treats texts as equal that differ in case or accents. */
  collation: text(1, 200).optional(),
});
export type CatalogColumn = z.infer<typeof CatalogColumn>;

export const CatalogTable = z.strictObject({
  name: SqlName,
  kind: z.enum(['table', 'view', 'materializedView']).default('table'),
  columns: z.array(CatalogColumn).max(5000),
  /** The tables of the same database whose rows include those of this one; rules on them govern it too. */
  partOf: z
    .array(z.strictObject({ schema: SqlName, table: SqlName }))
    .max(1000)
    .optional(),
  /** Further columns, which the user of the connection may not SELECT. */
  unreadableColumns: z.array(SqlName).max(5000).optional(),
});
export type CatalogTable = z.infer<typeof CatalogTable>;

export const CatalogSchema = z.strictObject({
  name: SqlName,
  tables: z.array(CatalogTable).max(50_000),
});
export type CatalogSchema = z.infer<typeof CatalogSchema>;

const Schemas = z.array(CatalogSchema).max(5000);
const Databases = z
  .array(z.strictObject({ name: SqlName, defaultSchema: SqlName.nullish(), schemas: Schemas }))
  .max(500);

/**
 * The setting `lower_case_table_names` of a MySQL or MariaDB server: how it compares names of databases and
 * tables.
 */
const LowerCaseTableNames = z.union([z.literal(0), z.literal(1), z.literal(2)]).optional();

/** The schemas, tables and columns that a connection reaches, of one database or of several. */
export const Catalog = z.union([
  z.strictObject({
    defaultSchema: SqlName.nullish(),
    lowerCaseTableNames: LowerCaseTableNames,
    schemas: Schemas,
  }),
  z.strictObject({ defaultDatabase: SqlName.nullish(), databases: Databases }),
]);
export type Catalog = z.infer<typeof Catalog>;

const CATALOG_FORMS = {
  schemas: { refused: 'defaultDatabase' },
  databases: { refused: 'defaultSchema' },
} as const;

/**
 * A catalog in a request. Its fields decide which of the two forms it has, so that a fault names the right
 * field: the union would report the missing fields of either form.
 */
export const CatalogInput = z
  .strictObject({
    defaultSchema: SqlName.nullish(),
    lowerCaseTableNames: LowerCaseTableNames,
    schemas: Schemas.optional(),
    defaultDatabase: SqlName.nullish(),
    databases: Databases.optional(),
  })
  .superRefine((value, context) => {
    const complain = (field: string, message: string, code: FieldErrorCode = 'conflict') =>
      context.addIssue({ code: 'custom', path: [field], ...rule(message, code), input: value });
    if (value.schemas !== undefined && value.databases !== undefined)
      return complain('databases', 'goes without schemas');
    const form = value.schemas !== undefined ? 'schemas' : 'databases';
    if (value[form] === undefined)
      return complain('schemas', 'is required, or databases in its place', 'required');
    const { refused } = CATALOG_FORMS[form];
    if (value[refused] !== undefined) complain(refused, `does not go with ${form}`);
    if (form === 'databases' && value.lowerCaseTableNames !== undefined) {
      complain('lowerCaseTableNames', 'does not go with databases');
    }
  });
export type CatalogInput = z.infer<typeof CatalogInput>;

export const CATALOG_CHANGES = [
  'schemaAdded',
  'schemaRemoved',
  'tableAdded',
  'tableRemoved',
  'columnAdded',
  'columnRemoved',
  'columnTypeChanged',
  /** A column of a table was removed and one of the same type added: most likely it was renamed. */
  'columnRenamed',
  /** A table of a schema was removed and one with the same columns added. */
  'tableRenamed',
] as const;

/** One difference between two versions of a catalog. */
export const CatalogChange = z.object({
  kind: z.enum(CATALOG_CHANGES),
  /** Absent in a catalog of one database. */
  database: z.string().optional(),
  schema: z.string(),
  table: z.string().optional(),
  column: z.string().optional(),
  /** The former and the present type, or name. */
  from: z.string().optional(),
  to: z.string().optional(),
});
export type CatalogChange = z.infer<typeof CatalogChange>;

export const CONNECTION_TYPES = ['postgres', 'mysql', 'sqlite', 'static'] as const;
export const ConnectionType = z.enum(CONNECTION_TYPES);
export type ConnectionType = z.infer<typeof ConnectionType>;

const Host = text(1, 253).regex(/^[A-Za-z0-9._:-]+$/, 'must be a host name or an address');
const TLS_MODES = ['disable', 'require', 'verify'] as const;

/** The address of a database server. The password is write-only. */
const ServerFields = {
  host: Host,
  port: z.number().int().min(1).max(65_535).optional(),
  database: SqlName,
  user: text(1, 200),
  /**
   * `require` encrypts without verifying the server, `verify` checks the certificate and the name as well.
   */
  tls: z.enum(TLS_MODES).default('disable'),
};

export const ServerConfig = z.strictObject({ ...ServerFields, password: text(0, 1000).optional() });
/** A file in the folder that the operator made for the organization; relative to it. */
export const SqliteConfig = z.strictObject({ file: text(1, 1000) });
export const StaticConfig = z.strictObject({ dialect: SqlDialect });
export type ServerConfig = z.infer<typeof ServerConfig>;
export type SqliteConfig = z.infer<typeof SqliteConfig>;
export type StaticConfig = z.infer<typeof StaticConfig>;

/**
 * A connection's configuration in a request: the fields of every type. The type determines which of them a
 * connection accepts: `host`, `port`, `database`, `user`, `tls` and `password` for a server, `file` for
 * `sqlite`, `dialect` for `static`.
 */
export const ConnectionConfigInput = z.strictObject({
  ...ServerConfig.partial().shape,
  tls: z.enum(TLS_MODES).optional(),
  ...SqliteConfig.partial().shape,
  ...StaticConfig.partial().shape,
});
export type ConnectionConfigInput = z.infer<typeof ConnectionConfigInput>;

/** A connection's configuration in a response: without its secrets. */
export const ConnectionConfig = z.union([
  z.object({ ...ServerFields, tls: z.enum(TLS_MODES), hasPassword: z.boolean() }),
  z.object({ file: z.string() }),
  z.object({ dialect: SqlDialect }),
]);
export type ConnectionConfig = z.infer<typeof ConnectionConfig>;

export const ConnectionName = label(200);

export const ConnectionSummary = z.object({
  id: Id,
  projectId: Id,
  name: z.string(),
  type: ConnectionType,
  dialect: SqlDialect,
  config: ConnectionConfig,
  /** Prevents the optimizer from evaluating a statement's own conditions before those of row-level rules. */
  rowBarrier: z.boolean(),
  /** The access of an actor without an applicable assignment for a governed connection. */
  unassignedActors: z.enum(['deny', 'allow']),
  /** Number of catalogs read; null if there is none yet. */
  catalogVersion: z.number().int().nullable(),
  /** When the catalog was last read, changed or not. */
  catalogReadAt: Timestamp.nullable(),
  /** How long that reading took; absent if nothing was read from a database. */
  catalogReadDurationMs: z.number().int().optional(),
  createdBy: Id.nullable(),
  version: z.number().int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type ConnectionSummary = z.infer<typeof ConnectionSummary>;

export const Connection = ConnectionSummary.extend({ catalog: Catalog.nullable() });
export type Connection = z.infer<typeof Connection>;
