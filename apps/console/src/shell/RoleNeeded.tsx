import type { UserRole } from '@gatehouse/contract';
import { EmptyState } from '../components/EmptyState.js';
import { PageHeader } from '../components/PageHeader.js';
import { ROLE_NAMES } from '../logic/shares.js';
import { useSession } from '../session/SessionContext.js';

/** In place of a screen that could only fail with the role of the user. */
export function RoleNeeded({ role }: { role: UserRole }) {
  const { user } = useSession();
  return (
    <>
      <PageHeader title="Not permitted by your role" />
      <EmptyState icon="key" title="Another role is needed">
        This page needs the role {ROLE_NAMES[role]}. Yours is {ROLE_NAMES[user.role]}. An Admin can change it.
      </EmptyState>
    </>
  );
}
