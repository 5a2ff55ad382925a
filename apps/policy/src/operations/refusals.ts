import { AppError, type FieldError, type OrgUserPrincipal } from '@gatehouse/contract';
import { duplicateKeysOf, type CallContext } from '@gatehouse/service';
import type { Policy } from '../policy.js';

const isNotFound = (error: unknown) => error instanceof AppError && error.code === 'NOT_FOUND';

/** The caller as an ADMIN. Throws FORBIDDEN. */
export function requireAdmin({ principal }: CallContext): OrgUserPrincipal {
  const isAdmin =
    principal.kind === 'orgUser' && principal.tokenType === 'project' && principal.role === 'ADMIN';
  if (!isAdmin) throw new AppError('FORBIDDEN', { message: 'This needs the ADMIN role' });
  return principal;
}

/**
 * The caller as an ADMIN in the project of its token. The role is asked first, so that nobody else learns which projects
 * exist. Throws FORBIDDEN, also for another project of the organization, and PROJECT_NOT_FOUND.
 */
export async function requireProjectAdmin(
  { directory }: Pick<Policy, 'directory'>,
  projectId: string,
  context: CallContext,
): Promise<OrgUserPrincipal> {
  const admin = requireAdmin(context);
  if (admin.projectId === projectId) return admin;
  await directory.projects.get(context, { id: projectId }).catch((error: unknown) => {
    throw isNotFound(error) ? new AppError('PROJECT_NOT_FOUND') : error;
  });
  throw new AppError('FORBIDDEN', { message: 'The token is for another project' });
}

/** Throws INVALID_REQUEST with all faults, when there are any. */
export function refuseFaults(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw new AppError('INVALID_REQUEST', { fieldErrors: [...faults] });
}

export const NO_DEFINITION = 'names no policy definition of the project';

/** A NOT_FOUND that names the field whose id names nothing. */
export function unknownReference(field: string, message: string): AppError {
  return new AppError('NOT_FOUND', { fieldErrors: [{ field, message }] });
}

/** Runs a write; throws CONFLICT with the message and the field when a unique index refuses it. */
export async function refuseDuplicates<T>(
  { field, message }: FieldError,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (duplicateKeysOf(error) === null) throw error;
    throw new AppError('CONFLICT', { message, fieldErrors: [{ field, message: 'is taken' }], cause: error });
  }
}
