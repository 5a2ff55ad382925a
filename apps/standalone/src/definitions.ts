// Written by `npm run manifest` from the service manifest.
import { accessService } from '@gatehouse/access';
import { auditService } from '@gatehouse/audit';
import type { ServiceName } from '@gatehouse/contract';
import { directoryService } from '@gatehouse/directory';
import { lifecycleService } from '@gatehouse/lifecycle';
import { policyService } from '@gatehouse/policy';
import { semanticsService } from '@gatehouse/semantics';
import type { ServiceDefinition } from '@gatehouse/service';

/** Every service, in the order in which they start. */
export const DEFINITIONS: Record<ServiceName, ServiceDefinition> = {
  directory: directoryService,
  access: accessService,
  semantics: semanticsService,
  policy: policyService,
  lifecycle: lifecycleService,
  audit: auditService,
};
