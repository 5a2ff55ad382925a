import type { access } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import type { ResourceKinds } from '../resources/kind.js';
import { batchShares } from './batchShares.js';
import { grantShares, revokeShares, type SharingDependencies } from './grantShares.js';
import { isGroupCovered, isGroupUsed, listGroupPermissions } from './listGroupPermissions.js';
import { listShares } from './listShares.js';
import type { TargetLookup } from './resolveTargets.js';

type AccessHandlers = Handlers<(typeof access)['procedures']>;
type SharingHandlers = Pick<AccessHandlers, 'dashboardShares' | 'visualShares' | 'groups'>;

function shareHandlers(sharing: SharingDependencies): AccessHandlers['dashboardShares'] {
  return {
    grant: (input, context) => grantShares(sharing, input, context),
    revoke: (input, context) => revokeShares(sharing, input, context),
    batch: (input, context) => batchShares(sharing, input, context),
    list: (input, context) => listShares(sharing, input, context),
  };
}

/** The handlers of grants, revocations, share lists and group permissions. */
export function createSharingProcedures(kinds: ResourceKinds, targets: TargetLookup): SharingHandlers {
  return {
    dashboardShares: shareHandlers({ kind: kinds.dashboards, targets }),
    visualShares: shareHandlers({ kind: kinds.visuals, targets }),
    groups: {
      permissions: (input, context) => listGroupPermissions({ kinds, targets }, input, context),
      isUsed: async (input, context) => ({ isUsed: await isGroupUsed(kinds, input, context) }),
      isCovered: async (input, context) => ({ isCovered: await isGroupCovered(kinds, input, context) }),
    },
  };
}
