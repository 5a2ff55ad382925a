import { AppError, isPerson } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { VersionControlParts } from './versionControlParts.js';

/** Who commits: the caller, by the name that the directory has. Throws FORBIDDEN for who is no person. */
export async function findAuthor(
  { services, log }: VersionControlParts,
  context: CallContext,
): Promise<{ name: string; email: string }> {
  const { principal } = context;
  if (!isPerson(principal)) throw new AppError('FORBIDDEN');
  const { userId, email } = principal;
  const ids = principal.kind === 'orgUser' ? { orgUserIds: [userId] } : { tenantUserIds: [userId] };
  try {
    const { orgUsers, tenantUsers } = await services.directory.subjects.lookup(context, ids);
    const [found] = [...orgUsers, ...tenantUsers];
    return { name: found?.name ?? email, email };
  } catch (err) {
    log.warn({ err }, 'the name of an author is not known now');
    return { name: email, email };
  }
}
