import {
  access,
  AppError,
  type AccessLevel,
  type JsonObject,
  type ResourceType,
  type SemanticDomainAccess,
} from '@gatehouse/contract';
import { newId, originOf, requireVersion, type CallContext, type EventOrigin } from '@gatehouse/service';
import {
  findLevel,
  findLevels,
  requireCreator,
  requireLevel,
  requireRequester,
  requireUser,
  type Requester,
} from '../decisions/authorizeCaller.js';
import type { ResourceChange, ResourceHeader, ResourceKind, SeenResource } from './kind.js';
import { findConveyedLinks } from './linkVisuals.js';
import { OUTSIDE_TENANT } from '../sharing/logic/grants.js';
import type { NeededShares } from './store/headers.js';
import { ownershipOf, type Ownership } from './takeOwnership.js';

/** The body that a resource is to have, and the links of its present body. */
export interface LinkingBody {
  body: JsonObject | null;
  kept: readonly string[];
  /** True if the resource has this body already. */
  isSame: boolean;
}

/**
 * The actor of a write, and the terms on which it writes. A request writes for its caller. A migration writes
 * for the user who started it, within a plan that was authorized before its first step.
 */
export interface Writer {
  readonly organizationId: string;
  readonly projectId: string;
  /** The subjects of which `authorize` needs the shares. */
  readonly needed: NeededShares;
  readonly now: Date;
  /** The origin of the events. */
  readonly origin: EventOrigin;
  /** The key of a migration: its writes can be repeated and undone. Absent for a request. */
  readonly migrationId?: string;
  /** Throws NOT_FOUND or FORBIDDEN unless the writer may use the resource at this level. */
  authorize(kind: ResourceKind, resource: ResourceHeader, wanted: AccessLevel): Promise<void>;
  /** Throws FORBIDDEN unless the writer may let everyone in the resource's home audience view it. */
  authorizeOpening(resource: ResourceHeader): void;
  /** Throws if the resource does not have the version that the writer expects. */
  requireVersion(resource: ResourceHeader): void;
  /** Returns true if an earlier run of the same update wrote the resource. */
  isDone(resource: ResourceHeader): boolean;
  /** Returns the fields by which a later run recognizes an update of this resource. */
  marksOf(resource: ResourceHeader): Pick<ResourceChange, 'replacedBy'>;
  /** Returns the visuals that the body gives view access to; undefined if there are none. */
  findLinks(kind: ResourceKind, linking: LinkingBody): Promise<readonly string[] | undefined>;
  /** Returns the dashboards that link the visual, as far as an error may name them. */
  findLinking(kind: ResourceKind, visualId: string): Promise<SeenResource[]>;
}

/** A writer that may create resources, and owns them. */
export interface Creator extends Writer {
  readonly owner: Ownership;
  /** The semantic domains that its token sees; undefined for all. */
  readonly semanticDomainAccess: SemanticDomainAccess | undefined;
  /** Returns the id of the new resource: the same one whenever the operation is repeated. */
  newId(type: ResourceType): string;
}

/** The caller of a request as a writer. */
export interface CallerWriter extends Writer {
  readonly requester: Requester;
}

function createCallerWriter(requester: Requester, context: CallContext): CallerWriter {
  const { organizationId, projectId, subjects, now } = requester;
  return {
    requester,
    organizationId,
    projectId,
    needed: requester,
    now,
    origin: originOf(access.name, context),
    async authorize(kind, resource, wanted) {
      await requireLevel(kind, requester, { resource, wanted });
    },
    authorizeOpening({ ownerTenantKey }) {
      const { user } = requester;
      if (user?.type === 'tenant' && user.tenantKey !== ownerTenantKey)
        throw new AppError('FORBIDDEN', { message: OUTSIDE_TENANT });
    },
    requireVersion: ({ version }) => requireVersion(context, version),
    isDone: () => false,
    marksOf: () => ({}),
    async findLinks(kind, { body, kept, isSame }) {
      return isSame ? kept : findConveyedLinks(kind, requester, { body, kept });
    },
    async findLinking(kind, visualId) {
      const dashboards = await kind.links.findLinking(projectId, [visualId], subjects);
      const levels = await findLevels({ ...kind, type: 'dashboard' }, requester, dashboards);
      return dashboards.filter((_, index) => levels[index]);
    },
  };
}

/**
 * Returns the caller as the writer of one resource. Throws FORBIDDEN for a caller that has no access to it in
 * any case.
 */
export function createWriter(context: CallContext, type: ResourceType, id: string): CallerWriter {
  return createCallerWriter(requireRequester(context, type, id), context);
}

/** Returns the caller as the owner of new resources. Throws FORBIDDEN if the caller's role is read-only. */
export function createCreator(context: CallContext): CallerWriter & Creator {
  const requester = requireUser(context);
  requireCreator(requester);
  return {
    ...createCallerWriter(requester, context),
    owner: ownershipOf(requester.principal),
    semanticDomainAccess: requester.principal.semanticDomainAccess,
    newId: (type) => newId(type, context.operation),
  };
}

/** Returns the public record of a resource that was read with its body, with the caller's access to it. */
export async function recordFor<Full>(
  kind: ResourceKind<unknown, Full>,
  { requester }: CallerWriter,
  resource: ResourceHeader,
): Promise<Full> {
  return kind.toRecord(resource, await findLevel(kind, requester, resource));
}
