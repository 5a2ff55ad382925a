import type { lifecycle } from '@gatehouse/contract';
import { FairShares, originOf, type CallContext, type Handlers } from '@gatehouse/service';
import { commitDashboard, findAuthor } from './commitDashboard.js';
import { getVersionControl, putVersionControl, removeVersionControl } from './configureRepository.js';
import type { VersionControlDependencies } from './openLocalRepository.js';
import { diffVersions, getVersion, listVersions, restoreVersion } from './readVersions.js';

/**
 * Limits of concurrent calls that run git or reach a remote, except commits, per process and per
 * organization.
 */
const SHARES = { capacity: 16, perShare: 6, waitingPerShare: 32, waiting: 256, waitMs: 5000 };

/** Creates the procedures that configure version control, commit dashboards and read their versions. */
export function createVersionControlProcedures(
  deps: VersionControlDependencies,
): Handlers<(typeof lifecycle)['procedures']>['versionControl'] {
  const shares = new FairShares(SHARES);
  const inShare = <T>({ principal }: CallContext, task: () => Promise<T>) =>
    shares.run(principal.organizationId, task);
  return {
    get: (_input, context) => getVersionControl(deps, context),
    put: (input, context) => inShare(context, () => putVersionControl(deps, input, context)),
    remove: (_input, context) => removeVersionControl(deps, context),
    async commit({ dashboardVersion: version, ...fields }, context) {
      const author = await findAuthor(deps, context);
      const { organizationId, projectId } = context.principal;
      const origin = originOf('lifecycle', context);
      return commitDashboard(deps, { ...fields, organizationId, projectId, version, author, origin });
    },
    listVersions: (input, context) => inShare(context, () => listVersions(deps, input, context)),
    getVersion: (input, context) => inShare(context, () => getVersion(deps, input, context)),
    diff: (input, context) => inShare(context, () => diffVersions(deps, input, context)),
    restore: (input, context) => inShare(context, () => restoreVersion(deps, input, context)),
  };
}
