import type { access } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import type { ResourceKinds } from '../resources/kind.js';
import * as reads from './readCopies.js';
import * as writes from './writeCopies.js';

type AccessHandlers = Handlers<(typeof access)['procedures']>;

/** The handlers that migrations call to copy dashboards and visuals to another project. */
export function createTransferProcedures(kinds: ResourceKinds): Pick<AccessHandlers, 'copies'> {
  return {
    copies: {
      source: (input, context) => reads.readCopySource(kinds, input, context),
      visuals: (input, context) => reads.readCopyVisuals(kinds, input, context),
      targets: (input, context) => reads.readCopyTargets(kinds, input, context),
      uses: (input, context) => reads.findCopyUses(kinds, input, context),
      states: (input) => reads.readCopyStates(kinds, input),
      createVisual: (input, context) => writes.createVisualCopy(kinds, input, context),
      createDashboard: (input, context) => writes.createDashboardCopy(kinds, input, context),
      replaceDashboard: (input, context) => writes.replaceDashboardContent(kinds, input, context),
      remove: (input, context) => writes.removeCopy(kinds, input, context),
      restoreDashboard: (input, context) => writes.restoreDashboardContent(kinds, input, context),
    },
  };
}
