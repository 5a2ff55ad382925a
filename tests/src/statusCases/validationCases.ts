import { createResource, DASHBOARDS } from '../resourceKinds.js';
import type { Prepare, Refusals } from './statusCase.js';

/** A dashboard that only its owner may see: validation is open to all users of the project. */
const oneDashboard: Prepare = async ({ author }) => {
  const template = { sheets: [], filters: [{ column: 'anything' }] };
  const { id } = await createResource(DASHBOARDS, author.session, { template });
  return { session: author.session, body: { dashboardId: id, options: { includeSuggestions: false } } };
};
const batch: Prepare = ({ author, api }) => ({
  session: author.session,
  body: { projectId: api.project.projectId, filter: { type: 'organization' } },
});

export const validationSpecimens = {
  validateDashboard: oneDashboard,
  validateAllDashboards: batch,
  fixDashboard: oneDashboard,
};

const ofOne = [
  [
    'NOT_FOUND',
    'a dashboard that does not exist',
    ({ author }) => ({ session: author.session, body: { dashboardId: 'd_none' } }),
  ],
  [
    'NOT_FOUND',
    'a dashboard that the tenant user may not see',
    ({ powerUser, hidden }) => ({ session: powerUser.session, body: { dashboardId: hidden.dashboard } }),
  ],
  [
    'INVALID_REQUEST',
    'neither a dashboard nor a template',
    ({ author }) => ({ session: author.session, body: {} }),
    'dashboardId',
  ],
  [
    'INVALID_REQUEST',
    'both a dashboard and a template',
    async (world) => {
      const { session, body } = await oneDashboard(world);
      return { ...(session && { session }), body: { ...body, template: {} } };
    },
    'dashboardId',
  ],
  [
    'INVALID_REQUEST',
    'an option that there is not',
    ({ author }) => ({ session: author.session, body: { template: {}, options: { validateAll: true } } }),
    'options.validateAll',
  ],
  [
    'INVALID_REQUEST',
    'a template that is too large to be validated',
    ({ author }) => {
      const filters = Array.from({ length: 1001 }, () => ({ column: 'x' }));
      return { session: author.session, body: { template: { filters } } };
    },
    'template',
  ],
] satisfies Refusals['validateDashboard'];

export const validationRefusals: Refusals = {
  validateDashboard: ofOne,
  fixDashboard: ofOne,
  validateAllDashboards: [
    [
      'FORBIDDEN',
      'another project',
      ({ author }) => ({ session: author.session, body: { projectId: 'p_none' } }),
    ],
    [
      'FORBIDDEN',
      'another tenant, requested by a tenant user',
      ({ powerUser, otherTenantId }) => ({
        session: powerUser.session,
        body: { filter: { type: 'tenant', tenantId: otherTenantId } },
      }),
    ],
    [
      'INVALID_REQUEST',
      'the type tenant without a tenant',
      ({ author }) => ({ session: author.session, body: { filter: { type: 'tenant' } } }),
      'filter.tenantId',
    ],
    [
      'INVALID_REQUEST',
      'a cursor, which is the business of the gateway alone',
      ({ author }) => ({ session: author.session, body: { cursor: 'x' } }),
      'cursor',
    ],
  ],
};
