import { AppError, invalidField, type OrgUserPrincipal } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { WebhookDocument } from '../store/webhookDocuments.js';
import type { Webhooks } from './webhookContext.js';

/** The caller as an ADMIN. Throws FORBIDDEN. */
export function requireWebhookAdmin({ principal }: CallContext): OrgUserPrincipal {
  const isAdmin =
    principal.kind === 'orgUser' && principal.tokenType === 'project' && principal.role === 'ADMIN';
  if (!isAdmin) throw new AppError('FORBIDDEN', { message: 'This needs the ADMIN role' });
  return principal;
}

/** Throws INVALID_REQUEST, naming `projectId`, unless the caller's organization has the project. */
export async function requireProject(
  { directory }: Pick<Webhooks, 'directory'>,
  projectId: string,
  context: CallContext,
): Promise<void> {
  await directory.projects.get(context, { id: projectId }).catch((error: unknown) => {
    const isNotFound = error instanceof AppError && error.code === 'NOT_FOUND';
    throw isNotFound ? invalidField('projectId', 'names no project of the organization') : error;
  });
}

/** Throws CONFLICT for a webhook that is sent nothing. */
export function requireEnabled({ isEnabled }: WebhookDocument): void {
  if (isEnabled) return;
  throw new AppError('CONFLICT', { message: 'The webhook is disabled: enable it first' });
}
