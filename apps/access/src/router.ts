import type { access } from '@gatehouse/contract';
import type { Handlers, ServiceClients } from '@gatehouse/service';
import { createCommitProcedures } from './commits/procedures.js';
import type { CommitSettings } from './commits/settings.js';
import { createDecisionProcedures } from './decisions/procedures.js';
import type { ResourceKinds } from './resources/kind.js';
import { createResourceProcedures } from './resources/procedures.js';
import { createSharingProcedures } from './sharing/procedures.js';
import { createTargetLookup } from './sharing/resolveTargets.js';
import { createTransferProcedures } from './transfer/procedures.js';

/** The dependencies of the handlers besides the resources: other services, and the commit settings. */
export interface Dependencies {
  services: Pick<ServiceClients, 'directory' | 'audit' | 'lifecycle'>;
  settings: CommitSettings;
}

/** Joins the handlers of all features. */
export function createHandlers(
  kinds: ResourceKinds,
  { services, settings }: Dependencies,
): Handlers<(typeof access)['procedures']> {
  return {
    ...createResourceProcedures(kinds, { settings, lifecycle: services.lifecycle }),
    ...createSharingProcedures(kinds, createTargetLookup(services.directory)),
    ...createDecisionProcedures(kinds, services),
    ...createTransferProcedures(kinds),
    ...createCommitProcedures(settings),
  };
}
