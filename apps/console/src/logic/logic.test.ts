import type { MigrationAnalysis, ValidationIssue } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { describeOutcome, describePath, toAccessPaths } from './accessPaths.js';
import { groupIssues } from './issueGroups.js';
import { COPY, suggestedValue, toMigrationRequest, UNLINK } from './migrationChoices.js';
import { formatRoute, parseRoute } from './route.js';
import { readClaims } from './tokenClaims.js';

describe('an address in the console', () => {
  it('is parsed to the route it was built from, for all characters of an id', () => {
    const route = parseRoute(formatRoute('access', 'a/b?c#d%', { user: 'ü&=', kind: '' }));
    expect(route).toMatchObject({ view: 'access', id: 'a/b?c#d%' });
    expect([...route.params]).toEqual([['user', 'ü&=']]);
  });

  it('that is invalid leads to no view', () => {
    for (const hash of ['', '#', '#/', '#/%', '#/%E0%A4%A']) {
      expect(parseRoute(hash)).toMatchObject({ view: '', id: null });
    }
  });
});

describe('the claims of a token', () => {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  it('are decoded as UTF-8', () => {
    const claims = { projectId: 'p_ü', exp: 5, orgUserId: 'ou_1' };
    expect(readClaims(`e30.${encode(claims)}.c2ln`)).toEqual(claims);
  });

  it('are null for an invalid token', () => {
    for (const text of [
      '',
      'a.b',
      'a.!.c',
      `a.${encode('text')}.c`,
      `a.${encode({ exp: 1 })}.c`,
      `a.${encode(null)}.c`,
    ]) {
      expect(readClaims(text)).toBeNull();
    }
  });
});

describe('the paths of an explanation', () => {
  const names = { user: 'Hugo', dashboard: 'Sales', groups: new Map([['g_1', 'Finance']]) };
  const explanation = { userId: 'ou_1', role: 'VIEWER', ceiling: 'VIEWER', accessLevel: 'VIEWER' } as const;

  it('name groups, and show when the role caps the granted level', () => {
    const paths = toAccessPaths(
      {
        ...explanation,
        grants: [
          { level: 'EDITOR', path: 'group', scope: 'group', groupId: 'g_1', wins: true },
          { level: 'VIEWER', path: 'group', scope: 'group', groupId: 'g_2', wins: false },
          { level: 'VIEWER', path: 'ownership', wins: false },
        ],
      },
      names,
    );
    expect(paths.paths.map((path) => describePath(paths, path))).toEqual([
      'Hugo → Group Finance → Sales: EDITOR, and this one wins',
      'Hugo → Group g_2 → Sales: VIEWER',
      'Hugo → Owner of the dashboard → Sales: VIEWER',
    ]);
    expect(describeOutcome(paths)).toBe(
      'Hugo has VIEWER: EDITOR was granted, and the role VIEWER allows VIEWER at most.',
    );
  });

  it('state that there is no access', () => {
    expect(describeOutcome(toAccessPaths({ ...explanation, accessLevel: null, grants: [] }, names))).toBe(
      'Hugo has no access.',
    );
  });
});

describe('grouped issues', () => {
  it('are ordered by severity, then by number of occurrences', () => {
    const issue = (
      code: ValidationIssue['code'],
      severity: ValidationIssue['severity'],
    ): ValidationIssue => ({
      code,
      severity,
      path: '',
      message: '',
    });
    const groups = groupIssues([
      issue('CATALOG_UNAVAILABLE', 'warning'),
      issue('CATALOG_UNAVAILABLE', 'warning'),
      issue('ENTITY_NOT_FOUND', 'error'),
      issue('FIELD_NOT_FOUND', 'error'),
      issue('FIELD_NOT_FOUND', 'error'),
    ]);
    expect(groups.map(({ code, issues }) => [code, issues.length])).toEqual([
      ['FIELD_NOT_FOUND', 2],
      ['ENTITY_NOT_FOUND', 1],
      ['CATALOG_UNAVAILABLE', 2],
    ]);
  });
});

describe('the choices of a migration', () => {
  const suggestedRequest = {
    connectionMapping: { c_1: 'c_9' },
    domainMapping: { dom_1: null },
    visualMapping: { v_1: 'unlink' },
  };
  const analysis = { suggestedRequest } as unknown as MigrationAnalysis;

  it('start with the suggestions of the analysis, and empty where there is none', () => {
    expect(suggestedValue(analysis, 'connections', 'c_1')).toBe('c_9');
    expect(suggestedValue(analysis, 'domains', 'dom_1')).toBe(COPY);
    expect(suggestedValue(analysis, 'visuals', 'v_1')).toBe(UNLINK);
    expect(suggestedValue(analysis, 'connections', 'toString')).toBe('');
    expect(suggestedValue(analysis, 'datamodels', 'dm_1')).toBe('');
  });

  it('build the suggested request, and omit what was not chosen', () => {
    const request = toMigrationRequest('p_2', [
      { kind: 'connections', sourceId: 'c_1', value: 'c_9' },
      { kind: 'connections', sourceId: 'c_2', value: '' },
      { kind: 'domains', sourceId: 'dom_1', value: COPY },
      { kind: 'visuals', sourceId: 'v_1', value: UNLINK },
    ]);
    expect(request).toEqual({ targetProjectId: 'p_2', datamodelMapping: {}, ...suggestedRequest });
  });
});
