import type { OperationId } from '@gatehouse/client';
import { accessRefusals, accessSpecimens } from './accessCases.js';
import { auditEventRefusals, auditEventSpecimens } from './auditEventCases.js';
import { batchRefusals, batchSpecimens } from './batchCases.js';
import { domainRefusals, domainSpecimens } from './domainCases.js';
import { groupRefusals, groupSpecimens } from './groupCases.js';
import { migrationFailures, migrationRefusals, migrationSpecimens } from './migrationCases.js';
import { organizationRefusals, organizationSpecimens } from './organizationCases.js';
import { policyRefusals, policySpecimens } from './policyCases.js';
import { resourceRefusals, resourceSpecimens } from './resourceCases.js';
import { semanticsRefusals, semanticsSpecimens } from './semanticsCases.js';
import type { Refusals, Specimens } from './statusCase.js';
import { userRefusals, userSpecimens } from './userCases.js';
import { validationRefusals, validationSpecimens } from './validationCases.js';
import {
  versionControlFailures,
  versionControlRefusals,
  versionControlSpecimens,
} from './versionControlCases.js';
import { webhookRefusals, webhookSpecimens } from './webhookCases.js';

/**
 * A route without a specimen does not compile; nor does a specimen or an error of a route that does not
 * exist.
 */
export const specimens: Specimens<OperationId> = {
  ...organizationSpecimens,
  ...resourceSpecimens,
  ...accessSpecimens,
  ...groupSpecimens,
  ...userSpecimens,
  ...validationSpecimens,
  ...domainSpecimens,
  ...semanticsSpecimens,
  ...policySpecimens,
  ...webhookSpecimens,
  ...migrationSpecimens,
  ...versionControlSpecimens,
  ...auditEventSpecimens,
  ...batchSpecimens,
};
/** What each route refuses, and with which code. */
export const refusals: Refusals = {
  ...organizationRefusals,
  ...resourceRefusals,
  ...accessRefusals,
  ...groupRefusals,
  ...userRefusals,
  ...validationRefusals,
  ...domainRefusals,
  ...semanticsRefusals,
  ...policyRefusals,
  ...webhookRefusals,
  ...migrationRefusals,
  ...versionControlRefusals,
  ...auditEventRefusals,
  ...batchRefusals,
};

/** What fails once something was written. */
export const failures: Refusals = { ...migrationFailures, ...versionControlFailures };
