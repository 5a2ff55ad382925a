import { defineRoute } from './define.js';

const BASE = '/api/management/v1';
const tag = 'Version control';
const settings = `${BASE}/version-control`;
const versions = `${BASE}/dashboards/{id}/versions`;
const version = `${versions}/{sha}`;
const tokens = 'projectOrOwnDashboard' as const;

/** The git repository of a project, and the commits of its dashboards. */
export const versionControlRoutes = [
  defineRoute(
    ['GET', settings],
    {
      operationId: 'getVersionControl',
      summary: "Read how the project's dashboards are committed",
      tag,
      procedure: 'lifecycle.versionControl.get',
    },
    { record: 'versionControl', errors: ['NOT_FOUND'] },
  ),
  defineRoute(
    ['PUT', settings],
    {
      operationId: 'putVersionControl',
      summary: 'Set up a git repository for the project, or change how it is used',
      tag,
      procedure: 'lifecycle.versionControl.put',
    },
    { lane: 'long', record: 'versionControl' },
  ),
  defineRoute(
    ['DELETE', settings],
    {
      operationId: 'deleteVersionControl',
      summary: 'End version control of the project; the history stays',
      tag,
      procedure: 'lifecycle.versionControl.remove',
    },
    { record: 'deletedVersionControl', errors: ['NOT_FOUND'] },
  ),
  defineRoute(
    ['GET', versions],
    {
      operationId: 'listDashboardVersions',
      summary: 'List the commits of a dashboard, the newest first',
      tag,
      procedure: 'lifecycle.versionControl.listVersions',
    },
    { lane: 'long', tokens },
  ),
  defineRoute(
    ['GET', version],
    {
      operationId: 'getDashboardVersion',
      summary: 'Read a dashboard as it was committed',
      tag,
      procedure: 'lifecycle.versionControl.getVersion',
    },
    { lane: 'long', tokens },
  ),
  defineRoute(
    ['GET', `${version}/diff`],
    {
      operationId: 'diffDashboardVersions',
      summary: 'Read the JSON Patch from one version to another, or to the dashboard as it is now',
      tag,
      procedure: 'lifecycle.versionControl.diff',
    },
    { lane: 'long', tokens },
  ),
  defineRoute(
    ['POST', `${version}/restore`],
    {
      operationId: 'restoreDashboardVersion',
      summary: 'Save what a version holds as the next version of the dashboard',
      tag,
      procedure: 'lifecycle.versionControl.restore',
    },
    {
      lane: 'long',
      tokens,
      record: 'dashboard',
      errors: ['COMMIT_MESSAGE_REQUIRED', 'COMMIT_FAILED', 'PRECONDITION_FAILED'],
    },
  ),
];
