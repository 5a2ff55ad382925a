import { definePagedRoute, defineRoute } from './define.js';

const BASE = '/api/management/v1/audit-events';
const tag = 'Audit log';

/** The record of what happened. */
export const auditRoutes = [
  defineRoute(['GET', BASE], {
    operationId: 'listAuditEvents',
    summary: 'List what was done and what was refused in the organization, the latest first',
    tag,
    procedure: 'audit.events.list',
  }),
  definePagedRoute(
    ['GET', `${BASE}/export`],
    {
      operationId: 'exportAuditEvents',
      summary: 'Export the entries of the audit log in their order, with what they can be verified by',
      tag,
      procedure: 'audit.events.export',
    },
    { lane: 'long', pages: { items: 'auditEvents', item: 'auditEvent', sums: [], total: 'total' } },
  ),
];
