import { z } from 'zod';
import { GroupPermission } from '../records/directory.js';
import {
  AccessCheck,
  AccessExplanation,
  CheckResult,
  Dashboard,
  DashboardSummary,
  DashboardWithSecret,
  ReachedResource,
  Viewer,
  Visual,
  VisualSummary,
} from '../records/resource.js';
import { CommitMessage, CommitOnSave, CommitResult } from '../records/versionControl.js';
import {
  AccessLevel,
  Id,
  jsonObject,
  JsonObject,
  label,
  ResourceType,
  Secret,
  SemanticDomainAccess,
  SortOrder,
  TEMPLATE_MAX_BYTES,
  text,
  Timestamp,
  UserType,
} from '../vocabulary.js';
import { batchInputOf, batchOutputOf, itemUpdateOf } from './batch.js';
import { accessCopies } from './copies.js';
import { ListScope, ListSlice, NextCursor, Search } from './listSlice.js';
import { mutation, query, question, systemOnly } from './procedure.js';
import { sharing } from './sharing.js';

/** False for what an ADMIN may list but not read. */
const IsReadable = z.boolean();

const ById = z.strictObject({ id: Id });
const Deleted = z.object({ id: Id, title: z.string() });
const Template = jsonObject(TEMPLATE_MAX_BYTES);

const ListQuery = z.strictObject({
  search: Search,
  isPrivate: z.boolean().optional(),
  createdBy: Id.optional(),
  tag: text(1, 100).optional(),
  tenantId: Id.optional(),
  limit: z.number().int().min(1).max(500).default(100),
  cursor: text(1, 2000).optional(),
  sort: z.enum(['updatedAt', 'createdAt', 'title']).default('updatedAt'),
  /** Defaults to `asc` for `title` and to `desc`, the newest first, for the times. */
  order: SortOrder.optional(),
  includeTotal: z.boolean().default(false),
  scope: ListScope,
});
export type ResourceListQuery = z.infer<typeof ListQuery>;

const Total = {
  total: z.number().int().optional(),
  /** True if there are more than `total`, which is then the number up to which a total is exact. */
  totalIsLowerBound: z.boolean().optional(),
};

const Fields = {
  title: label(200),
  description: text(0, 5000),
  isPrivate: z.boolean(),
  tags: z.array(label(100)).max(50),
};
const OptionalFields = {
  description: Fields.description.optional(),
  isPrivate: Fields.isPrivate.optional(),
  tags: Fields.tags.optional(),
};

/** A moment in the past, whose state is derived from the recorded events. */
const At = { at: Timestamp.optional() };

const decisions = {
  explain: query(
    z.strictObject({ id: Id, userId: Id.optional(), ...At }),
    z.object({ access: AccessExplanation }),
  ),
  viewers: query(
    z.strictObject({
      id: Id,
      limit: z.number().int().min(1).max(500).default(100),
      cursor: text(1, 2000).optional(),
    }),
    z.object({ viewers: z.array(Viewer), nextCursor: z.string().nullable() }),
  ),
};
/** The largest number of questions in one request. */
export const CHECKS_MAX = 1000;
/** The grants of all decisions of one check together, about 2.5 MB. A user may have thousands of them. */
export const CHECKED_GRANTS_MAX = 20_000;

/** Decisions about many resources or users at once; each is that of `explain`. */
const checks = {
  check: question(
    z.strictObject({
      checks: z.array(AccessCheck).min(1).max(CHECKS_MAX),
      reasons: z.boolean().default(false),
      ...At,
    }),
    z.object({ results: z.array(CheckResult) }),
  ),
  /** One page of what a user can open, the newest first; of the past, by id. */
  list: question(
    z.strictObject({
      userId: Id.optional(),
      resourceType: ResourceType,
      level: AccessLevel.default('VIEWER'),
      cursor: text(1, 2000).optional(),
      ...At,
    }),
    z.object({ userId: Id, resources: z.array(ReachedResource), nextCursor: z.string().nullable() }),
  ),
  /** One page of the users who can open a resource. */
  subjects: question(
    z.strictObject({
      resourceType: ResourceType,
      resourceId: Id,
      level: AccessLevel.default('VIEWER'),
      cursor: text(1, 2000).optional(),
      ...At,
    }),
    z.object({ resourceId: Id, subjects: z.array(Viewer), nextCursor: z.string().nullable() }),
  ),
};
const Duplicate = z.strictObject({ id: Id, title: Fields.title.optional() });

const DashboardFields = { isDataApp: z.boolean().optional(), template: Template.nullish() };
/** Required if the project commits every save; returned if a commit was due. */
const Commit = { commitMessage: CommitMessage.optional() };
const Committed = { versionControl: CommitResult.optional() };
const NewDashboard = { title: Fields.title, ...OptionalFields, ...DashboardFields, ...Commit };
const DashboardChange = {
  title: Fields.title.optional(),
  ...OptionalFields,
  ...DashboardFields,
  ...Commit,
};
const VisualFields = { frameObject: Template.nullish() };

export const access = {
  name: 'access' as const,
  procedures: {
    dashboards: {
      list: query(
        ListQuery,
        z.object({
          dashboards: z.array(DashboardSummary),
          nextCursor: z.string().nullable(),
          ...Total,
        }),
      ),
      create: mutation(
        z.strictObject(NewDashboard),
        z.object({ dashboard: DashboardWithSecret, ...Committed }),
      ),
      get: query(ById, z.object({ dashboard: Dashboard })),
      update: mutation(
        z.strictObject({ id: Id, ...DashboardChange }),
        z.object({ dashboard: Dashboard, ...Committed }),
      ),
      delete: mutation(ById, z.object({ message: z.string(), deletedDashboard: Deleted })),
      duplicate: mutation(
        Duplicate.extend(Commit),
        z.object({ dashboard: DashboardWithSecret, ...Committed }),
      ),
      batch: mutation(
        batchInputOf({}, [
          z.strictObject({ op: z.literal('create'), ...NewDashboard }),
          itemUpdateOf({ id: Id }, DashboardChange),
          z.strictObject({ op: z.literal('delete'), id: Id }),
        ]),
        batchOutputOf({
          /** With its secret if the operation created it. */
          dashboard: Dashboard.extend({ secret: DashboardWithSecret.shape.secret.optional() }).optional(),
          ...Committed,
          message: z.string().optional(),
          deletedDashboard: Deleted.optional(),
        }),
      ),
      takeOwnership: mutation(ById, z.object({ dashboard: Dashboard })),
      rotateSecret: mutation(ById, z.object({ dashboard: DashboardWithSecret })),
      /** Checks a dashboard's secret, for a token; null for a wrong secret as for a missing dashboard. */
      authenticate: systemOnly(
        query(
          z.strictObject({ dashboardId: Id, dashboardSecret: Secret }),
          z.object({
            dashboard: z
              .object({
                id: Id,
                projectId: Id,
                organizationId: Id,
                /** The tenant, and the domains, of the token that got the secret; null or absent for all. */
                tenantKey: z.string().nullable(),
                domainAccess: SemanticDomainAccess.optional(),
              })
              .nullable(),
          }),
        ),
      ),
    },
    visuals: {
      list: query(
        ListQuery,
        z.object({
          visuals: z.array(VisualSummary),
          nextCursor: z.string().nullable(),
          ...Total,
        }),
      ),
      create: mutation(
        z.strictObject({ title: Fields.title, ...OptionalFields, ...VisualFields }),
        z.object({ visual: Visual }),
      ),
      get: query(ById, z.object({ visual: Visual })),
      update: mutation(
        z.strictObject({ id: Id, title: Fields.title.optional(), ...OptionalFields, ...VisualFields }),
        z.object({ visual: Visual }),
      ),
      delete: mutation(ById, z.object({ message: z.string(), deletedVisual: Deleted })),
      duplicate: mutation(Duplicate, z.object({ visual: Visual })),
      takeOwnership: mutation(ById, z.object({ visual: Visual })),
    },
    dashboardShares: sharing,
    visualShares: sharing,
    checks,
    dashboardDecisions: decisions,
    visualDecisions: decisions,
    /**
     * The content of dashboards and visuals, for their validation: in the order of their ids, after
     * `afterId`. A page is limited in bytes as well as in number. A user receives those that it may read, an
     * ADMIN also the others, marked as not readable; a service identity receives all.
     */
    contents: {
      dashboards: query(
        z.strictObject({
          ids: z.array(Id).max(10_000).optional(),
          ownerType: UserType.optional(),
          tenantId: Id.optional(),
          afterId: Id.optional(),
        }),
        z.object({
          dashboards: z.array(
            z.object({
              id: Id,
              title: z.string(),
              tenantId: Id.nullable(),
              template: JsonObject.nullable(),
              isReadable: IsReadable,
            }),
          ),
          nextAfterId: Id.nullable(),
          /** Of all pages; on the first only. Shares that have expired but are not yet deleted may count. */
          total: z.number().int().optional(),
        }),
      ),
      /** Missing ones are omitted. */
      visuals: query(
        z.strictObject({ ids: z.array(Id).max(10_000), afterId: Id.optional() }),
        z.object({
          visuals: z.array(
            z.object({
              id: Id,
              title: z.string(),
              frameObject: JsonObject.nullable(),
              isReadable: IsReadable,
            }),
          ),
          nextAfterId: Id.nullable(),
        }),
      ),
    },
    copies: accessCopies,
    commitSettings: {
      /** Sets whether saving a dashboard of the project commits it, before the event arrives. ADMIN only. */
      keep: mutation(z.strictObject({ commitOnSave: CommitOnSave, version: z.number().int() }), z.object({})),
    },
    groups: {
      /** The resources shared with a group, as far as the caller may see them; an ADMIN sees all of them. */
      permissions: query(
        ById.extend(ListSlice),
        z.object({ groupId: Id, permissions: z.array(GroupPermission), ...NextCursor }),
      ),
      /** Whether any resource of the caller's organization is shared with the group. */
      isUsed: query(ById, z.object({ isUsed: z.boolean() })),
      /**
       * Whether the caller has at least the group's access to every resource of the organization that is
       * shared with it.
       */
      isCovered: query(ById, z.object({ isCovered: z.boolean() })),
    },
  },
};
