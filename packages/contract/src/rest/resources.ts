import { BATCH_ERRORS, defineRoute } from './define.js';
import { TEMPLATE_BODY_LIMIT_BYTES } from './route.js';

const BASE = '/api/management/v1';
const tokens = 'projectOrOwnDashboard' as const;

const dashboards = `${BASE}/dashboards`;
const dashboard = `${BASE}/dashboards/{id}`;
/** For routes that save a dashboard. */
const COMMIT_ERRORS = ['COMMIT_MESSAGE_REQUIRED', 'COMMIT_FAILED'] as const;
const dashboardRecord = { record: 'dashboard', bodyLimit: TEMPLATE_BODY_LIMIT_BYTES };

export const dashboardRoutes = [
  defineRoute(['GET', dashboards], {
    operationId: 'listDashboards',
    summary: 'List the dashboards that the caller may see, without their templates',
    tag: 'Dashboards',
    procedure: 'access.dashboards.list',
  }),
  defineRoute(
    ['POST', dashboards],
    {
      operationId: 'createDashboard',
      summary: 'Create a dashboard; its secret is shown this once',
      tag: 'Dashboards',
      procedure: 'access.dashboards.create',
    },
    { ...dashboardRecord, success: 201, errors: COMMIT_ERRORS },
  ),
  defineRoute(
    ['POST', `${dashboards}:batch`],
    {
      operationId: 'batchDashboards',
      summary: 'Create, update and delete up to 500 dashboards',
      tag: 'Dashboards',
      procedure: 'access.dashboards.batch',
    },
    {
      lane: 'long',
      bodyLimit: TEMPLATE_BODY_LIMIT_BYTES,
      errors: [...BATCH_ERRORS, 'COMMIT_MESSAGE_REQUIRED'],
    },
  ),
  defineRoute(
    ['GET', dashboard],
    {
      operationId: 'getDashboard',
      summary: 'Read a dashboard',
      tag: 'Dashboards',
      procedure: 'access.dashboards.get',
    },
    { record: 'dashboard', tokens },
  ),
  defineRoute(
    ['PATCH', dashboard],
    {
      operationId: 'updateDashboard',
      summary: 'Change fields of a dashboard',
      tag: 'Dashboards',
      procedure: 'access.dashboards.update',
    },
    { ...dashboardRecord, tokens, errors: COMMIT_ERRORS },
  ),
  defineRoute(
    ['DELETE', dashboard],
    {
      operationId: 'deleteDashboard',
      summary: 'Delete a dashboard',
      tag: 'Dashboards',
      procedure: 'access.dashboards.delete',
    },
    { record: 'deletedDashboard', tokens },
  ),
  defineRoute(
    ['POST', `${dashboard}/duplicate`],
    {
      operationId: 'duplicateDashboard',
      summary: 'Copy a dashboard; the copy belongs to the caller and has no shares',
      tag: 'Dashboards',
      procedure: 'access.dashboards.duplicate',
    },
    { record: 'dashboard', success: 201, errors: COMMIT_ERRORS },
  ),
  defineRoute(
    ['POST', `${dashboard}/take-ownership`],
    {
      operationId: 'takeDashboardOwnership',
      summary: 'Make the calling ADMIN the owner of a dashboard',
      tag: 'Dashboards',
      procedure: 'access.dashboards.takeOwnership',
    },
    { record: 'dashboard' },
  ),
  defineRoute(
    ['POST', `${dashboard}/rotate-secret`],
    {
      operationId: 'rotateDashboardSecret',
      summary: 'Give a dashboard a new secret, shown this once; the former one ends at once',
      tag: 'Dashboards',
      procedure: 'access.dashboards.rotateSecret',
    },
    { record: 'dashboard' },
  ),
  defineRoute(
    ['POST', `${dashboard}/share`],
    {
      operationId: 'shareDashboard',
      summary: 'Grant access to a dashboard: all entries or none',
      tag: 'Sharing',
      procedure: 'access.dashboardShares.grant',
    },
    { tokens },
  ),
  defineRoute(
    ['POST', `${dashboard}/shares:batch`],
    {
      operationId: 'batchDashboardShares',
      summary: 'Grant, change and revoke up to 500 shares of a dashboard',
      tag: 'Sharing',
      procedure: 'access.dashboardShares.batch',
    },
    { tokens, lane: 'long', errors: BATCH_ERRORS },
  ),
  defineRoute(
    ['DELETE', `${dashboard}/share`],
    {
      operationId: 'revokeDashboardShares',
      summary: 'Revoke access to a dashboard by scope and target',
      tag: 'Sharing',
      procedure: 'access.dashboardShares.revoke',
    },
    { tokens, body: ['shares'] },
  ),
  defineRoute(
    ['GET', `${dashboard}/shares`],
    {
      operationId: 'listDashboardShares',
      summary: 'List the shares of a dashboard by the kind of target',
      tag: 'Sharing',
      procedure: 'access.dashboardShares.list',
    },
    { tokens },
  ),
  defineRoute(
    ['GET', `${dashboard}/access`],
    {
      operationId: 'explainDashboardAccess',
      summary: "Explain a user's access to a dashboard, every grant with its path",
      tag: 'Sharing',
      procedure: 'access.dashboardDecisions.explain',
    },
    { tokens },
  ),
  defineRoute(
    ['GET', `${dashboard}/viewers`],
    {
      operationId: 'listDashboardViewers',
      summary: 'List who has access to a dashboard',
      tag: 'Sharing',
      procedure: 'access.dashboardDecisions.viewers',
    },
    { tokens },
  ),
];

const visuals = `${BASE}/visuals`;
const visual = `${BASE}/visuals/{id}`;
const visualRecord = { record: 'visual', bodyLimit: TEMPLATE_BODY_LIMIT_BYTES };

export const visualRoutes = [
  defineRoute(['GET', visuals], {
    operationId: 'listVisuals',
    summary: 'List the visuals that the caller may see, without their frame objects',
    tag: 'Visuals',
    procedure: 'access.visuals.list',
  }),
  defineRoute(
    ['POST', visuals],
    {
      operationId: 'createVisual',
      summary: 'Create a visual',
      tag: 'Visuals',
      procedure: 'access.visuals.create',
    },
    { ...visualRecord, success: 201 },
  ),
  defineRoute(
    ['GET', visual],
    { operationId: 'getVisual', summary: 'Read a visual', tag: 'Visuals', procedure: 'access.visuals.get' },
    { record: 'visual' },
  ),
  defineRoute(
    ['PATCH', visual],
    {
      operationId: 'updateVisual',
      summary: 'Change fields of a visual',
      tag: 'Visuals',
      procedure: 'access.visuals.update',
    },
    visualRecord,
  ),
  defineRoute(
    ['DELETE', visual],
    {
      operationId: 'deleteVisual',
      summary: 'Delete a visual that no dashboard links',
      tag: 'Visuals',
      procedure: 'access.visuals.delete',
    },
    { record: 'deletedVisual', errors: ['CONFLICT'] },
  ),
  defineRoute(
    ['POST', `${visual}/duplicate`],
    {
      operationId: 'duplicateVisual',
      summary: 'Copy a visual; the copy belongs to the caller and has no shares',
      tag: 'Visuals',
      procedure: 'access.visuals.duplicate',
    },
    { record: 'visual', success: 201 },
  ),
  defineRoute(
    ['POST', `${visual}/take-ownership`],
    {
      operationId: 'takeVisualOwnership',
      summary: 'Make the calling ADMIN the owner of a visual',
      tag: 'Visuals',
      procedure: 'access.visuals.takeOwnership',
    },
    { record: 'visual' },
  ),
  defineRoute(['POST', `${visual}/share`], {
    operationId: 'shareVisual',
    summary: 'Grant access to a visual: all entries or none',
    tag: 'Sharing',
    procedure: 'access.visualShares.grant',
  }),
  defineRoute(
    ['POST', `${visual}/shares:batch`],
    {
      operationId: 'batchVisualShares',
      summary: 'Grant, change and revoke up to 500 shares of a visual',
      tag: 'Sharing',
      procedure: 'access.visualShares.batch',
    },
    { lane: 'long', errors: BATCH_ERRORS },
  ),
  defineRoute(
    ['DELETE', `${visual}/share`],
    {
      operationId: 'revokeVisualShares',
      summary: 'Revoke access to a visual by scope and target',
      tag: 'Sharing',
      procedure: 'access.visualShares.revoke',
    },
    { body: ['shares'] },
  ),
  defineRoute(['GET', `${visual}/shares`], {
    operationId: 'listVisualShares',
    summary: 'List the direct shares of a visual by the kind of target',
    tag: 'Sharing',
    procedure: 'access.visualShares.list',
  }),
  defineRoute(['GET', `${visual}/access`], {
    operationId: 'explainVisualAccess',
    summary: "Explain a user's access to a visual, every grant with its path",
    tag: 'Sharing',
    procedure: 'access.visualDecisions.explain',
  }),
  defineRoute(['GET', `${visual}/viewers`], {
    operationId: 'listVisualViewers',
    summary: 'List who has access to a visual',
    tag: 'Sharing',
    procedure: 'access.visualDecisions.viewers',
  }),
];
