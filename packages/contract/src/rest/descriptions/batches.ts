import { ofAssignment } from './policies.js';
import { shareTarget } from './resources.js';
import type { FieldTexts } from './texts.js';

const operations = {
  mode: 'Whether one operation that fails undoes the others',
  operations: 'The operations, at most 500; `op` determines the fields of each',
};
const result = {
  op: 'The operation, as in the request',
  status: 'The status that the single request would have',
  error: 'Why the operation failed; absent if it succeeded',
};
const sharesOf = (kind: string): FieldTexts => ({
  [`Batch${kind}SharesRequest`]: operations,
  [`Batch${kind}SharesRequestOperationCreate`]: shareTarget,
  [`Batch${kind}SharesRequestOperationUpdate`]: shareTarget,
  [`Batch${kind}SharesRequestOperationDelete`]: shareTarget,
  [`Batch${kind}SharesResponse`]: { results: 'A result for each operation, in the order of the request' },
  [`Batch${kind}SharesResponseResult`]: {
    ...result,
    shares: 'The share that was granted or changed',
    removed: 'The share that was revoked; empty if there was none',
  },
});

/** The texts of requests with many operations. */
export const batchFields: FieldTexts = {
  '*': {
    op: 'What the operation does',
    results: 'A result for each operation, in the order of the request',
  },
  BatchTenantUsersRequest: operations,
  BatchDashboardsRequest: operations,
  BatchPolicyAssignmentsRequest: operations,
  ...sharesOf('Dashboard'),
  ...sharesOf('Visual'),
  BatchPolicyAssignmentsRequestOperationUpdate: {
    scopeType: 'The kind of actor; a new one clears the former actor; null is the same as absent',
    orgUserId: 'The org user; required for a change to the scope `ORG_USER`; null is the same as absent',
    tenantId: 'The tenant; required for a change to the scope `TENANT`; null is the same as absent',
    tenantUserId:
      'The tenant user; required for a change to the scope `TENANT_USER`; null is the same as absent',
    params: 'Replaces the values for placeholders; `***` keeps a stored secret, and null removes all',
  },
  BatchTenantUsersResponseResult: { ...result, user: 'The user that was created or changed' },
  BatchDashboardsResponseResult: {
    ...result,
    dashboard: 'The dashboard that was created or changed; with its secret if it was created',
  },
  BatchPolicyAssignmentsResponseDataResult: {
    ...ofAssignment,
    ...result,
    id: 'The id of a deleted assignment',
  },
  BatchError: { code: 'The code of the error', message: 'The error', fieldErrors: 'The invalid fields' },
};
