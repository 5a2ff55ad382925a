import { expect, it } from 'vitest';
import { routes } from './index.js';
import type { RouteLane } from './route.js';

/**
 * The procedures of short requests, by noun. A request is long unless it always ends within the time of a few
 * reads.
 */
const SHORT: Record<string, readonly string[]> = {
  'access.checks': ['check'],
  'access.dashboardDecisions': ['explain', 'viewers'],
  'access.dashboardShares': ['grant', 'list', 'revoke'],
  'access.dashboards': [
    'create',
    'delete',
    'duplicate',
    'get',
    'list',
    'rotateSecret',
    'takeOwnership',
    'update',
  ],
  'access.groups': ['permissions'],
  'access.visualDecisions': ['explain', 'viewers'],
  'access.visualShares': ['grant', 'list', 'revoke'],
  'access.visuals': ['create', 'delete', 'duplicate', 'get', 'list', 'takeOwnership', 'update'],
  'audit.events': ['list'],
  'audit.webhooks': [
    'create',
    'delete',
    'get',
    'getDelivery',
    'list',
    'listDeliveries',
    'replayDelivery',
    'rotateSecret',
    'update',
  ],
  'directory.groups': [
    'addMembers',
    'create',
    'delete',
    'get',
    'list',
    'members',
    'removeMember',
    'removeMembers',
    'update',
  ],
  'directory.orgUsers': ['create', 'delete', 'get', 'list', 'update'],
  'directory.projects': ['create', 'get', 'list', 'rotateSecret', 'update'],
  'directory.tenantUsers': ['create', 'delete', 'get', 'list', 'update'],
  'directory.tenants': ['create', 'delete', 'get', 'list', 'update'],
  'directory.sessions': ['list', 'revoke'],
  'directory.tokens': ['createSignInCode', 'invalidate', 'issue', 'keys'],
  'directory.unifiedUsers': ['get', 'list'],
  'lifecycle.migrations': ['get', 'list'],
  'lifecycle.versionControl': ['get', 'remove'],
  'policy.assignments': ['create', 'delete', 'get', 'list', 'update'],
  'policy.definitions': ['create', 'delete', 'get', 'list', 'update'],
  'policy.previews': ['preview'],
  'policy.statements': ['compile'],
  'policy.tests': ['create', 'delete', 'get', 'list', 'update'],
  'semantics.assistantProfiles': ['create', 'delete', 'get', 'list', 'update'],
  'semantics.connections': ['changes', 'create', 'delete', 'get', 'list', 'update'],
  'semantics.datamodels': ['create', 'delete', 'get', 'list', 'update'],
  'semantics.domains': ['create', 'delete', 'get', 'getTemplate', 'list', 'putTemplate', 'update'],
};

/** The procedures whose requests wait in the lane for long ones. */
const LONG: Record<string, readonly string[]> = {
  'access.checks': ['list', 'subjects'],
  'access.dashboardShares': ['batch'],
  'access.dashboards': ['batch'],
  'access.visualShares': ['batch'],
  'audit.events': ['export'],
  'audit.webhooks': ['replayFailed', 'test'],
  'directory.tenantUsers': ['batch'],
  'lifecycle.migrations': ['analyze', 'migrate', 'rollback'],
  'lifecycle.validation': ['fix', 'validate', 'validateAll'],
  'lifecycle.versionControl': ['diff', 'getVersion', 'listVersions', 'put', 'restore'],
  'policy.assignments': ['batch'],
  'policy.previews': ['coverage', 'diff', 'lint'],
  'policy.tests': ['run'],
  'semantics.connections': ['introspect'],
};

const pathsOf = (nouns: Record<string, readonly string[]>) =>
  Object.entries(nouns).flatMap(([noun, verbs]) => verbs.map((verb) => `${noun}.${verb}`));

it('every route has a decision on its lane', () => {
  const decided = [...pathsOf(SHORT), ...pathsOf(LONG)];
  expect(routes.map(({ procedure }) => procedure).filter((path) => !decided.includes(path))).toEqual([]);
  expect(decided.filter((path) => !routes.some(({ procedure }) => procedure === path))).toEqual([]);
});

it('each route has the lane of its decision', () => {
  const laneOf = (path: string): RouteLane => (pathsOf(LONG).includes(path) ? 'long' : 'short');
  const wrong = routes.filter(({ procedure, lane }) => lane !== laneOf(procedure));
  expect(wrong.map(({ operationId }) => operationId)).toEqual([]);
});
