import { definePagedRoute, defineRoute } from './define.js';
import { TEMPLATE_BODY_LIMIT_BYTES } from './route.js';

const BASE = '/api/v1/dashboard';
const settings = { area: 'validation', bodyLimit: TEMPLATE_BODY_LIMIT_BYTES } as const;

export const validationRoutes = [
  defineRoute(
    ['POST', `${BASE}/validate`],
    {
      operationId: 'validateDashboard',
      summary: 'Validate a dashboard, or a template that is not saved, against the schemas of its databases',
      tag: 'Validation',
      procedure: 'lifecycle.validation.validate',
    },
    { lane: 'long', ...settings, errors: ['NOT_FOUND'] },
  ),
  definePagedRoute(
    ['POST', `${BASE}/validate-all`],
    {
      operationId: 'validateAllDashboards',
      summary: 'Validate the dashboards of the project; as NDJSON with progress for who accepts that',
      tag: 'Validation',
      procedure: 'lifecycle.validation.validateAll',
    },
    {
      lane: 'long',
      area: 'validation',
      pages: {
        items: 'results',
        item: 'result',
        sums: ['validDashboards', 'invalidDashboards', 'failedDashboards'],
        total: 'totalDashboards',
      },
    },
  ),
  defineRoute(
    ['POST', `${BASE}/fix`],
    {
      operationId: 'fixDashboard',
      summary: 'Apply the certain renames to a template, and return it with their patch; nothing is saved',
      tag: 'Validation',
      procedure: 'lifecycle.validation.fix',
    },
    { lane: 'long', ...settings, errors: ['NOT_FOUND'] },
  ),
];
