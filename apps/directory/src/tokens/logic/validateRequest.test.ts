import { describe, expect, it } from 'vitest';
import {
  claimedTypeOf,
  validateCodeRequest,
  validateTokenRequest,
  GRANTS_BYTES_MAX,
  tokenTypeOf,
} from './validateRequest.js';

const tokenExpiry = 1800;
const project = { projectId: 'p_1', projectSecret: 'x', tokenExpiry };
const dashboard = { dashboardId: 'd_1', dashboardSecret: 'x', tokenExpiry };
const atNorth = { endUserEmail: 'a@b.test', tenantId: 'north' };

describe('the type of a token', () => {
  it('is the requested type, or derives from whether the request names a dashboard', () => {
    expect(tokenTypeOf(project)).toBe('project');
    expect(tokenTypeOf(dashboard)).toBe('dashboard');
    expect(tokenTypeOf({ ...dashboard, type: 'project' })).toBe('project');
    expect(tokenTypeOf({ ...project, type: 'dashboard' })).toBe('dashboard');
  });

  it('is one of its own in the claims of a token with a scope', () => {
    expect(claimedTypeOf({ ...project, scope: 'sql:compile' })).toBe('compiler');
    expect([project, dashboard].map(claimedTypeOf)).toEqual(['project', 'dashboard']);
  });
});

describe('a token request', () => {
  it.each([
    ['for a project', project],
    ['for a dashboard', dashboard],
    ['for a dashboard that names its project', { ...dashboard, projectId: 'p_1' }],
    ['for an org user', { ...project, orgUserId: 'ou_1' }],
    ['for an end user by id', { ...dashboard, endUserId: 'tu_1' }],
    ['for an end user by e-mail and tenant id', { ...project, ...atNorth }],
    [
      'for an end user by e-mail and tenant name',
      { ...project, endUserEmail: 'a@b.test', tenantName: 'North' },
    ],
    [
      'that creates its end user',
      { ...project, ...atNorth, autoCreateEndUser: true, role: 'POWER_USER' as const, displayName: 'A' },
    ],
    ['with a scope', { ...project, scope: 'sql:compile' as const, securityParams: { region: 'x' } }],
    ['that does not create its end user', { ...project, ...atNorth, autoCreateEndUser: false }],
  ])('%s is valid', (_what, request) => {
    expect(validateTokenRequest(request)).toEqual([]);
  });

  it.each([
    ['a user', { orgUserId: 'ou_1' }, ['orgUserId']],
    ['an end user', { ...atNorth, autoCreateEndUser: true }, ['endUserEmail', 'autoCreateEndUser']],
    ['domains', { semanticDomainAccess: { mode: 'all' as const } }, ['semanticDomainAccess']],
    ['the type of a dashboard', { type: 'dashboard' as const }, ['scope']],
  ])('with a scope and %s is rejected', (_what, fields, expected) => {
    const errors = validateTokenRequest({ ...project, scope: 'sql:compile', ...fields });
    expect(
      errors.filter(({ message }) => /scope|dashboard token$/.test(message)).map(({ field }) => field),
    ).toEqual(expect.arrayContaining(expected));
  });

  it('is rejected with its largest field when the token would not fit into a header', () => {
    const sized = (size: number) => ({
      ...project,
      securityParams: { x: 'y'.repeat(size - '{"x":""}'.length) },
    });
    expect(validateTokenRequest(sized(GRANTS_BYTES_MAX))).toEqual([]);
    expect(validateTokenRequest(sized(GRANTS_BYTES_MAX + 1))).toMatchObject([{ field: 'securityParams' }]);
    const policies = { sls: { schema: 'public' } };
    expect(validateTokenRequest({ ...sized(GRANTS_BYTES_MAX), policies })).toMatchObject([
      { field: 'securityParams' },
    ]);
  });

  it('is rejected with all of its errors', () => {
    const request = {
      tokenExpiry,
      orgUserId: 'ou_1',
      endUserId: 'tu_1',
      tenantName: 'North',
      role: 'VIEWER' as const,
    };
    expect(validateTokenRequest(request)).toEqual([
      { field: 'projectId', message: 'is required for a project token', code: 'required' },
      { field: 'projectSecret', message: 'is required for a project token', code: 'required' },
      { field: 'endUserId', message: 'a token acts as at most one user', code: 'conflict' },
      { field: 'tenantName', message: 'goes with endUserEmail only', code: 'conflict' },
      { field: 'role', message: 'goes with autoCreateEndUser only', code: 'conflict' },
    ]);
  });

  it('is rejected with one error for each field', () => {
    const scoped = { ...project, scope: 'sql:compile' as const, orgUserId: 'ou_1', endUserId: 'tu_1' };
    expect(validateTokenRequest(scoped).map(({ field }) => field)).toEqual(['orgUserId', 'endUserId']);
    const requests = [dashboard, { ...project, ...dashboard }, { ...scoped, signInCode: 'x' }];
    for (const request of requests) {
      const fields = validateCodeRequest(request).map(({ field }) => field);
      expect(fields).toEqual([...new Set(fields)]);
      expect(fields).not.toEqual([]);
    }
  });
});

describe('a sign-in code', () => {
  const fieldsOf = (errors: readonly { field: string }[]) => errors.map(({ field }) => field);

  it('is exchanged without any other field except the expiry, which has a default', () => {
    const exchange = { signInCode: 'x', tokenExpiry };
    expect(validateTokenRequest(exchange)).toEqual([]);
    const more = { ...exchange, ...project, orgUserId: 'ou_1' };
    expect(fieldsOf(validateTokenRequest(more))).toEqual(['projectId', 'projectSecret', 'orgUserId']);
  });

  it('is requested for one user of a project', () => {
    for (const user of [{ orgUserId: 'ou_1' }, { endUserId: 'tu_1' }, atNorth])
      expect(validateCodeRequest({ ...project, ...user })).toEqual([]);
    expect(validateCodeRequest(project)).toEqual([
      { field: 'orgUserId', message: 'is required for a sign-in code', code: 'required' },
    ]);
    const user = { ...project, orgUserId: 'ou_1' };
    expect(fieldsOf(validateCodeRequest({ ...user, dashboardId: 'd_1' }))).toContain('dashboardId');
  });
});
