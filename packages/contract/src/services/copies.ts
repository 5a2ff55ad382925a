import { z } from 'zod';
import { ConnectionType, SqlDialect } from '../records/catalog.js';
import { ModelTemplate } from '../records/semantics.js';
import { AccessLevel, Id, JsonObject, SemanticDomainAccess } from '../vocabulary.js';
import { mutation, query, systemOnly, type Procedure } from './procedure.js';

/**
 * The reads and writes of migrations. Reads are made for the caller and never return more than the caller may
 * see. Only the lifecycle service writes. Each write is idempotent and names its migration, so that a
 * repetition finds what it has created or undone.
 */

const Version = z.number().int();
/** The user in whose name a migration writes, and the request that started it. */
export const CopyActor = z.object({
  userId: Id,
  userKey: z.string(),
  tokenId: z.string(),
  requestId: z.string(),
  /** Limits the tokens of a copy's secret. Absent if the actor's token sees all domains. */
  semanticDomainAccess: SemanticDomainAccess.optional(),
});
export type CopyActor = z.infer<typeof CopyActor>;

const Ids = z.array(Id).max(10_000);
const Place = { organizationId: Id, projectId: Id };
const Write = { ...Place, id: Id, migrationId: Id, actor: CopyActor };
/**
 * The result of an undo. `changed` and `used`: the record stays, because it was changed or another record
 * refers to it.
 */
const Undone = z.object({ outcome: z.enum(['undone', 'changed', 'used']) });
export type UndoOutcome = z.infer<typeof Undone>['outcome'];

const system = <P extends Procedure>(procedure: P) => systemOnly(procedure, ['lifecycle']);

const Content = { title: z.string(), description: z.string(), tags: z.array(z.string()) };
const SourceDashboard = z.object({
  id: Id,
  ...Content,
  isDataApp: z.boolean(),
  template: JsonObject.nullable(),
  version: Version,
  level: AccessLevel,
});
const SourceVisual = z.object({ id: Id, ...Content, frameObject: JsonObject.nullable(), version: Version });

/** The state of a dashboard or visual. */
const ResourceState = z.object({
  id: Id,
  title: z.string(),
  version: Version,
  /** Counts every write, of shares too. */
  revision: Version,
  /** The migration that made it. */
  copiedBy: Id.nullable(),
  /**
   * The migration that replaced its content, and the version that resulted; also the revision, if the content
   * links fewer visuals since.
   */
  replacedBy: z
    .object({ migrationId: Id, version: Version, isRestored: z.boolean(), revision: Version.optional() })
    .nullable(),
});
export type ResourceState = z.infer<typeof ResourceState>;
const LinkedVisualIds = z.array(Id).nullable();
const DashboardContent = {
  title: z.string(),
  description: z.string(),
  template: JsonObject.nullable(),
  /** The visuals that readers of the dashboard may view through it; null for none. */
  linkedVisualIds: LinkedVisualIds,
};

export const accessCopies = {
  /**
   * A dashboard of the caller's project.
   * @throws NOT_FOUND if the caller may not see it
   */
  source: query(z.strictObject({ dashboardId: Id }), z.object({ dashboard: SourceDashboard })),
  /**
   * The visuals of the caller's project that it may see, in the order of their ids; a page is limited in
   * bytes.
   */
  visuals: query(
    z.strictObject({ ids: Ids, afterId: Id.optional() }),
    z.object({ visuals: z.array(SourceVisual), nextAfterId: Id.nullable() }),
  ),
  /** The records in another project of the organization that the caller may see. */
  targets: query(
    z.strictObject({
      projectId: Id,
      dashboardId: Id.optional(),
      visualIds: Ids.default([]),
      visualTitles: z.array(z.string()).max(10_000).default([]),
    }),
    z.object({
      dashboard: z
        .object({
          id: Id,
          ...DashboardContent,
          tags: z.array(z.string()),
          isDataApp: z.boolean(),
          version: Version,
          level: AccessLevel,
        })
        .nullable(),
      visuals: z.array(z.object({ id: Id, title: z.string(), version: Version })),
    }),
  ),
  /**
   * The dashboards and visuals of a project, except the given ones, that contain one of the ids; with their
   * names if the caller may see them.
   */
  uses: query(
    z.strictObject({ projectId: Id, ids: Ids, exceptIds: Ids }),
    z.object({ count: z.number().int(), seen: z.array(z.object({ id: Id, title: z.string() })) }),
  ),
  /** Those that exist. */
  states: system(
    query(
      z.strictObject({ ...Place, dashboardIds: Ids, visualIds: Ids }),
      z.object({ dashboards: z.array(ResourceState), visuals: z.array(ResourceState) }),
    ),
  ),
  createVisual: system(
    mutation(
      z.strictObject({ ...Write, ...Content, frameObject: JsonObject.nullable() }),
      z.object({ version: Version }),
    ),
  ),
  createDashboard: system(
    mutation(
      z.strictObject({ ...Write, ...DashboardContent, tags: Content.tags, secretHash: z.string() }),
      z.object({ version: Version }),
    ),
  ),
  /** @throws CONFLICT if the dashboard does not have the expected version */
  replaceDashboard: system(
    mutation(
      z.strictObject({ ...Write, ...DashboardContent, expectedVersion: Version }),
      z.object({ version: Version, isChanged: z.boolean() }),
    ),
  ),
  remove: system(mutation(z.strictObject({ ...Write, type: z.enum(['dashboard', 'visual']) }), Undone)),
  /**
   * Restores the content of a dashboard from before the migration; if it was never replaced, the migration
   * can no longer replace it.
   */
  restoreDashboard: system(
    mutation(
      z.strictObject({
        ...Write,
        ...DashboardContent,
        /** The version after the replacement; absent if it may not have come to that. */
        writtenVersion: Version.optional(),
      }),
      Undone,
    ),
  ),
};

const Named = { id: Id, name: z.string() };
const ConnectionName = z.object({ ...Named, type: ConnectionType, dialect: SqlDialect });
const ModelContent = { description: z.string(), template: ModelTemplate };
const DomainContent = { label: z.string(), ...ModelContent };
const RecordState = z.object({ ...Named, version: Version, revision: Version, copiedBy: Id.nullable() });
export type RecordState = z.infer<typeof RecordState>;

export const semanticCopies = {
  /**
   * Records of the caller's project, those that exist and that its token may see, and the connections that
   * they name.
   */
  source: query(
    z.strictObject({ connectionIds: Ids, domainIds: Ids, datamodelIds: Ids, assistantProfileIds: Ids }),
    z.object({
      connections: z.array(ConnectionName),
      domains: z.array(z.object({ ...Named, ...DomainContent, version: Version })),
      datamodels: z.array(z.object({ ...Named, ...ModelContent, connectionId: Id, version: Version })),
      assistantProfiles: z.array(z.object(Named)),
    }),
  ),
  /** What there is in another project of the caller's organization. */
  targets: query(
    z.strictObject({ projectId: Id }),
    z.object({
      connections: z.array(ConnectionName),
      domains: z.array(z.object({ ...Named, version: Version })),
      datamodels: z.array(z.object({ ...Named, version: Version })),
      assistantProfiles: z.array(z.object(Named)),
    }),
  ),
  /** Those that exist. */
  states: system(
    query(
      z.strictObject({
        ...Place,
        connectionIds: Ids,
        domainIds: Ids,
        datamodelIds: Ids,
        assistantProfileIds: Ids,
      }),
      z.object({
        connections: z.array(RecordState),
        domains: z.array(RecordState),
        datamodels: z.array(RecordState),
        assistantProfiles: z.array(RecordState),
      }),
    ),
  ),
  createDomain: system(
    mutation(
      z.strictObject({ ...Write, name: z.string(), ...DomainContent }),
      z.object({ version: Version }),
    ),
  ),
  createDatamodel: system(
    mutation(
      z.strictObject({ ...Write, name: z.string(), connectionId: Id, ...ModelContent }),
      z.object({ version: Version }),
    ),
  ),
  remove: system(mutation(z.strictObject({ ...Write, type: z.enum(['domain', 'datamodel']) }), Undone)),
};
