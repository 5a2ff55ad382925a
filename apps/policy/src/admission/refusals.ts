import { AppError, type FieldError, type OrgUserPrincipal, withName } from '@gatehouse/contract';
import { duplicateKeysOf, type CallContext, type ServiceClients, findAppError } from '@gatehouse/service';

const isNotFound = (error: unknown) => findAppError(error)?.code === 'NOT_FOUND';

/**
 * The caller, who must be an ADMIN.
 * @throws FORBIDDEN
 */
export function requireAdmin({ principal }: CallContext): OrgUserPrincipal {
  const isAdmin =
    principal.kind === 'orgUser' && principal.tokenType === 'project' && principal.role === 'ADMIN';
  if (!isAdmin) throw new AppError('FORBIDDEN', { message: 'This needs the ADMIN role' });
  return principal;
}

/**
 * The caller, who must be an ADMIN in the project of its token. The role is checked first, so that no other
 * role learns which projects exist.
 * @throws FORBIDDEN, also for another project of the organization
 * @throws PROJECT_NOT_FOUND
 */
export async function requireProjectAdmin(
  { directory }: Pick<ServiceClients, 'directory'>,
  projectId: string,
  context: CallContext,
): Promise<OrgUserPrincipal> {
  const admin = requireAdmin(context);
  if (admin.projectId === projectId) return admin;
  await directory.projects.get.query({ id: projectId }, { context }).catch((error: unknown) => {
    throw isNotFound(error) ? new AppError('PROJECT_NOT_FOUND') : error;
  });
  throw new AppError('FORBIDDEN', { message: 'The token is for another project' });
}

/** @throws INVALID_REQUEST with all faults, if there are any */
export function refuseFaults(faults: readonly FieldError[]): void {
  if (faults.length > 0) throw new AppError('INVALID_REQUEST', { fieldErrors: [...faults] });
}

export const NO_DEFINITION = 'names no policy definition of the project';

/** A NOT_FOUND that names the field and the unknown id. */
export function unknownReference(field: string, message: string, id: string): AppError {
  return new AppError('NOT_FOUND', {
    fieldErrors: [{ field, message: withName(message, id), code: 'reference' }],
  });
}

/**
 * Runs a write.
 * @throws CONFLICT with the message and the field if a unique index rejects the write
 */
export async function refuseDuplicates<T>(
  { field, message }: FieldError,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (duplicateKeysOf(error) === null) throw error;
    throw new AppError('CONFLICT', {
      message,
      fieldErrors: [{ field, message: 'is taken', code: 'duplicate' }],
      cause: error,
    });
  }
}
