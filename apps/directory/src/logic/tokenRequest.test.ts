import { describe, expect, it } from 'vitest';
import { findTokenRequestFaults, GRANTS_BYTES_MAX, tokenTypeOf } from './tokenRequest.js';

const tokenExpiry = 1800;
const project = { projectId: 'p_1', projectSecret: 'x', tokenExpiry };
const dashboard = { dashboardId: 'd_1', dashboardSecret: 'x', tokenExpiry };
const atNorth = { endUserEmail: 'a@b.test', tenantId: 'north' };

describe('the type of a token', () => {
  it('is what the request says, or follows from its naming a dashboard', () => {
    expect(tokenTypeOf(project)).toBe('project');
    expect(tokenTypeOf(dashboard)).toBe('dashboard');
    expect(tokenTypeOf({ ...dashboard, type: 'project' })).toBe('project');
    expect(tokenTypeOf({ ...project, type: 'dashboard' })).toBe('dashboard');
  });
});

describe('a token request', () => {
  it.each([
    ['of a project', project],
    ['of a dashboard', dashboard],
    ['of a dashboard that names its project', { ...dashboard, projectId: 'p_1' }],
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
    ['that does not create its end user', { ...project, ...atNorth, autoCreateEndUser: false }],
  ])('%s fits together', (_what, request) => {
    expect(findTokenRequestFaults(request)).toEqual([]);
  });

  it('carries no more than fits into a header, and the largest field is named', () => {
    const sized = (size: number) => ({
      ...project,
      securityParams: { x: 'y'.repeat(size - '{"x":""}'.length) },
    });
    expect(findTokenRequestFaults(sized(GRANTS_BYTES_MAX))).toEqual([]);
    expect(findTokenRequestFaults(sized(GRANTS_BYTES_MAX + 1))).toMatchObject([{ field: 'securityParams' }]);
    const policies = { sls: { schema: 'public' } };
    expect(findTokenRequestFaults({ ...sized(GRANTS_BYTES_MAX), policies })).toMatchObject([
      { field: 'securityParams' },
    ]);
  });

  it('has every one of its faults named', () => {
    const request = {
      tokenExpiry,
      orgUserId: 'ou_1',
      endUserId: 'tu_1',
      tenantName: 'North',
      role: 'VIEWER' as const,
    };
    expect(findTokenRequestFaults(request)).toEqual([
      { field: 'projectId', message: 'is required for a project token' },
      { field: 'projectSecret', message: 'is required for a project token' },
      { field: 'endUserId', message: 'a token acts as at most one user' },
      { field: 'tenantName', message: 'goes with endUserEmail only' },
      { field: 'role', message: 'goes with autoCreateEndUser only' },
    ]);
  });
});
