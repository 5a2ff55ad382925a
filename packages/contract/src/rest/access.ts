import { definePagedRoute, defineRoute } from './define.js';

const BASE = '/api/management/v1';

export const accessRoutes = [
  defineRoute(['POST', `${BASE}/access:check`], {
    operationId: 'checkAccess',
    summary: 'Decide up to 1,000 accesses of users to dashboards and visuals at once',
    tag: 'Sharing',
    procedure: 'access.checks.check',
  }),
  definePagedRoute(
    ['POST', `${BASE}/access:list`],
    {
      operationId: 'listAccess',
      summary: 'List all dashboards or visuals that a user can open; as NDJSON for callers that accept it',
      tag: 'Sharing',
      procedure: 'access.checks.list',
    },
    { lane: 'long', errors: ['NOT_FOUND'], pages: { items: 'resources', item: 'resource', sums: [] } },
  ),
  definePagedRoute(
    ['POST', `${BASE}/access:subjects`],
    {
      operationId: 'listAccessSubjects',
      summary: 'List all users who can open a dashboard or visual; as NDJSON for callers that accept it',
      tag: 'Sharing',
      procedure: 'access.checks.subjects',
    },
    { lane: 'long', errors: ['NOT_FOUND'], pages: { items: 'subjects', item: 'subject', sums: [] } },
  ),
];
