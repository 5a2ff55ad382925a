import { AppError, seesEveryDomain, type Migration, type OrgUserPrincipal } from '@gatehouse/contract';
import { CursorTime, decodeCursor, sliceOf, type CallContext } from '@gatehouse/service';
import { z } from 'zod';
import type { Input, MigrationDependencies, Output } from './dependencies.js';
import { requireMigrator } from './readFacts.js';
import type { MigrationDocument } from './documents.js';
import type { MigrationPosition } from './store.js';

/**
 * A migration as a response holds it. Each field is named, so that no other field is disclosed. A token that
 * does not see every semantic domain gets the ids of domains instead of their names.
 */
export function toMigration(document: MigrationDocument, principal: OrgUserPrincipal): Migration {
  const hidesDomains = !seesEveryDomain(principal);
  const { domains, ...created } = document.created;
  return {
    id: document._id,
    status: document.status,
    sourceProjectId: document.sourceProjectId,
    sourceDashboardId: document.sourceDashboardId,
    targetProjectId: document.targetProjectId,
    targetDashboardId: document.targetDashboardId,
    isReplacing: document.isReplacing,
    planHash: document.planHash,
    steps: document.steps.map(({ name, action, sourceId, targetId, title, state }) => {
      const isHidden = hidesDomains && action === 'createDomain';
      return { name, action, sourceId, targetId, title: isHidden ? null : title, state };
    }),
    createdResources: {
      ...created,
      domains: hidesDomains ? domains.map((domain) => ({ ...domain, name: domain.newId })) : domains,
    },
    versionControl: document.versionControl,
    reason: document.reason?.message ?? null,
    createdBy: document.actor.userId,
    createdAt: document.createdAt.toISOString(),
    updatedAt: document.updatedAt.toISOString(),
    endedAt: document.endedAt?.toISOString() ?? null,
  };
}

/** An ADMIN sees all migrations of the token's project, other roles see their own. */
function isVisible({ actor, projectIds }: MigrationDocument, principal: OrgUserPrincipal): boolean {
  const isOfProject = projectIds.includes(principal.projectId);
  return isOfProject && (principal.role === 'ADMIN' || actor.userKey === principal.userKey);
}

/** Reads a migration that the caller may see. Throws MIGRATION_NOT_FOUND. */
export async function getVisible(
  { store }: MigrationDependencies,
  id: string,
  context: CallContext,
): Promise<MigrationDocument> {
  const principal = requireMigrator(context);
  const document = await store.find(principal.organizationId, id);
  if (document === null || !isVisible(document, principal)) throw new AppError('MIGRATION_NOT_FOUND');
  return document;
}

export async function getMigration(
  deps: MigrationDependencies,
  { id }: Input<'get'>,
  context: CallContext,
): Output<'get'> {
  return { migration: toMigration(await getVisible(deps, id, context), requireMigrator(context)) };
}

const PageEnd = z.tuple([z.literal('migrations'), CursorTime, z.string()]);

function positionOf(cursor: string): MigrationPosition {
  const [, createdAt, id] = decodeCursor(cursor, PageEnd);
  return { createdAt, id };
}

export async function listMigrations(
  { store }: MigrationDependencies,
  { limit, cursor }: Input<'list'>,
  context: CallContext,
): Output<'list'> {
  const principal = requireMigrator(context);
  const { organizationId, projectId, role, userKey } = principal;
  const after = cursor === undefined ? null : positionOf(cursor);
  const query = { projectId, userKey: role === 'ADMIN' ? null : userKey, after };
  const found = await store.list(organizationId, query, limit + 1);
  const { records, nextCursor } = sliceOf(found, limit, ({ createdAt, _id }) => [
    'migrations',
    createdAt.getTime(),
    _id,
  ]);
  return { migrations: records.map((document) => toMigration(document, principal)), nextCursor };
}
