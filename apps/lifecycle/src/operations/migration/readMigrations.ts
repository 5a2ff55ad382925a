import { AppError, invalidField, type OrgUserPrincipal } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { MigrationDocument, MigrationPosition } from '../../store/migrations.js';
import type { Answer, Input, Migrations } from './migrations.js';
import { requireMigrator } from './readFacts.js';
import { toMigration } from './records.js';

/** An ADMIN sees every migration of the organization, others their own. */
function isVisible({ actor, projectIds }: MigrationDocument, principal: OrgUserPrincipal): boolean {
  const isOfProject = projectIds.includes(principal.projectId);
  return isOfProject && (principal.role === 'ADMIN' || actor.userKey === principal.userKey);
}

/** A migration that the caller may see. Throws MIGRATION_NOT_FOUND. */
export async function getVisible(
  { store }: Migrations,
  id: string,
  context: CallContext,
): Promise<MigrationDocument> {
  const principal = requireMigrator(context);
  const document = await store.find(principal.organizationId, id);
  if (document === null || !isVisible(document, principal)) throw new AppError('MIGRATION_NOT_FOUND');
  return document;
}

export async function getMigration(
  migrations: Migrations,
  { id }: Input<'get'>,
  context: CallContext,
): Answer<'get'> {
  return { migration: toMigration(await getVisible(migrations, id, context)) };
}

/** Writes where a page begins as a text. Callers hand it back as it is. */
function encodePosition({ createdAt, _id }: MigrationDocument): string {
  return Buffer.from(JSON.stringify([createdAt.getTime(), _id])).toString('base64url');
}

/** Throws INVALID_REQUEST, naming `cursor`, for any text that `encodePosition` did not write. */
function decodePosition(cursor: string): MigrationPosition {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, time, id] = /^\[(\d{1,15}),"([\w-]{1,64})"\]$/.exec(text) ?? [];
  if (time === undefined || id === undefined || Buffer.from(text).toString('base64url') !== cursor)
    throw invalidField('cursor', 'is not a cursor of this list');
  return { createdAt: new Date(Number(time)), id };
}

export async function listMigrations(
  { store }: Migrations,
  { limit, cursor }: Input<'list'>,
  context: CallContext,
): Answer<'list'> {
  const { organizationId, projectId, role, userKey } = requireMigrator(context);
  const after = cursor === undefined ? null : decodePosition(cursor);
  const question = { projectId, userKey: role === 'ADMIN' ? null : userKey, after };
  const found = await store.list(organizationId, question, limit + 1);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const nextCursor = found.length > limit && last !== undefined ? encodePosition(last) : null;
  return { migrations: page.map(toMigration), nextCursor };
}
