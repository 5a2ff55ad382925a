import fc from 'fast-check';
import type { MigrationAnalysis, ValidationIssue } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { graphOfPerson, graphOfResource, NODES_MAX } from './accessGraph.js';
import { countByPeriod } from './activityBuckets.js';
import { LinkCheck } from './chainLinks.js';
import { findExpiring } from './expiringShares.js';
import { groupByCause } from './issueCauses.js';
import { COPY, suggestedChoices, toMappings, UNLINK } from './migrationChoices.js';
import { describeDuration, progressByLast, remainingSeconds } from './remainingTime.js';

const issue = (change: Partial<ValidationIssue>): ValidationIssue => ({
  code: 'FIELD_NOT_FOUND',
  severity: 'error',
  path: '/sheets/0',
  message: 'is not a column of orders',
  entity: 'orders',
  field: 'amout',
  ...change,
});

describe('causes of issues', () => {
  it('make one group of one renamed column in many dashboards', () => {
    const results = Array.from({ length: 578 }, (_, index) => ({
      id: `d${index}`,
      title: `Dashboard ${index}`,
      issues: [issue({ path: `/sheets/${index}`, suggestions: ['amount'] })],
    }));
    const causes = groupByCause(results);
    expect(causes).toHaveLength(1);
    expect(causes[0]).toMatchObject({ subject: 'orders.amout', issueCount: 578, suggestions: ['amount'] });
    expect(causes[0]?.dashboards).toHaveLength(578);
  });

  it('make one group of a column, its filters and its joins, so that one repair is enough', () => {
    const codes = ['FILTER_FIELD_NOT_FOUND', 'FIELD_NOT_FOUND', 'JOIN_KEY_NOT_FOUND'] as const;
    const issues = codes.map((code) => issue({ code }));
    const causes = groupByCause([{ id: 'd', title: 'D', issues }]);
    expect(causes).toMatchObject([{ code: 'FIELD_NOT_FOUND', subject: 'orders.amout', issueCount: 3 }]);
    expect(causes[0]?.dashboards).toEqual([{ id: 'd', title: 'D', issues }]);
  });

  it('separate codes, tables and columns, whatever the names contain', () => {
    const issues = [
      issue({}),
      issue({ code: 'AI_CONTEXT_INVALID' }),
      issue({ entity: 'order' }),
      issue({ field: 'amout"]' }),
      issue({ severity: 'warning' }),
      issue({ entity: undefined, field: undefined, message: 'other' }),
    ];
    expect(groupByCause([{ id: 'd', title: 'D', issues }])).toHaveLength(issues.length);
  });

  it('lose no issue, and order errors before warnings', () => {
    const some = fc.record({
      code: fc.constantFrom('FIELD_NOT_FOUND' as const, 'ENTITY_NOT_FOUND' as const),
      severity: fc.constantFrom('error' as const, 'warning' as const),
      field: fc.constantFrom('a', 'b', '__proto__'),
    });
    fc.assert(
      fc.property(fc.array(fc.array(some, { maxLength: 5 }), { maxLength: 8 }), (dashboards) => {
        const results = dashboards.map((issues, index) => ({
          id: `d${index}`,
          title: '',
          issues: issues.map(issue),
        }));
        const causes = groupByCause(results);
        const total = causes.reduce((sum, { issueCount }) => sum + issueCount, 0);
        expect(total).toBe(dashboards.flat().length);
        const severities = causes.map(({ severity }) => severity);
        expect(severities).toEqual(severities.toSorted());
      }),
    );
  });
});

describe('the remaining time', () => {
  it('is proportional to what is left, and unknown before the first progress', () => {
    expect(remainingSeconds(10, 40, 5000)).toBe(15);
    expect(remainingSeconds(0, 40, 5000)).toBeNull();
    expect(remainingSeconds(5, null, 5000)).toBeNull();
    expect(remainingSeconds(50, 40, 5000)).toBe(0);
  });

  it('is described in the unit that fits', () => {
    expect([0, 1, 30, 600, 7200].map(describeDuration)).toEqual([
      'less than a second',
      'about a second',
      'about 30 seconds',
      'about 10 minutes',
      'about 2 hours',
    ]);
  });

  it('follows from the last time, until that is exceeded', () => {
    expect(progressByLast(15_000, 60_000)).toEqual({ percent: 25, remaining: 45 });
    expect(progressByLast(500, 60_000)).toEqual({ percent: 0, remaining: null });
    expect(progressByLast(59_999, 60_000)).toEqual({ percent: 99, remaining: 0 });
    expect(progressByLast(60_000, 60_000)).toBeNull();
    expect(progressByLast(0, 0)).toBeNull();
    expect(progressByLast(0, undefined)).toBeNull();
  });
});

const grant = (change: object) => ({
  level: 'VIEWER' as const,
  path: 'share' as const,
  wins: true,
  ...change,
});
const reach = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    id: `d${index}`,
    title: `Dashboard ${index}`,
    level: 'VIEWER' as const,
    grants: [
      grant({ path: 'group', groupId: `g${index % 3}` }),
      grant({ path: 'audience', scope: 'all_org_users', wins: false }),
    ],
  }));
const person = { id: 'u', name: 'Ada' };

describe('the drawing of access', () => {
  it('marks the paths that decide', () => {
    const { nodes, edges } = graphOfPerson(person, reach(3));
    expect(nodes.find(({ id }) => id === 'group:g0')?.isEffective).toBe(true);
    expect(nodes.find(({ id }) => id === 'audience:all_org_users')?.isEffective).toBe(false);
    expect(edges.filter(({ from }) => from === 'u')).toHaveLength(4);
    expect(edges.find(({ from, to }) => from === 'group:g1' && to === 'd1')?.isEffective).toBe(true);
  });

  it('never has more points than can be read, and counts what it draws together', () => {
    fc.assert(
      fc.property(fc.nat(300), fc.nat(300), (resources, people) => {
        const one = graphOfPerson(person, reach(resources));
        const viewers = Array.from({ length: people }, (_, index) => ({
          type: 'organization' as const,
          id: `u${index}`,
          name: '',
          email: '',
          accessLevel: 'VIEWER' as const,
          path: 'share' as const,
        }));
        const other = graphOfResource({ id: 'd', name: 'D' }, viewers);
        for (const { nodes, edges } of [one, other]) {
          expect(nodes.length).toBeLessThanOrEqual(NODES_MAX);
          const ids = new Set(nodes.map(({ id }) => id));
          expect(edges.every(({ from, to }) => ids.has(from) && ids.has(to))).toBe(true);
        }
      }),
    );
    const many = graphOfPerson(person, reach(90));
    expect(many.isBundled).toBe(true);
    expect(many.nodes.find(({ id }) => id === 'by group:g0')?.label).toBe('30 resources');
  });

  it('stays small with a group for each resource', () => {
    const each = reach(200).map((resource, index) => ({
      ...resource,
      grants: [grant({ path: 'group', groupId: `g${index}` })],
    }));
    expect(graphOfPerson(person, each).nodes.length).toBeLessThanOrEqual(NODES_MAX);
  });
});

describe('expiring shares', () => {
  const share = (id: string, expiresAt: string | null) => ({ id, role: 'VIEWER', scope: 'group', expiresAt });
  const entry = (verb: string, ...shares: object[]) => ({
    type: `management.dashboard_share.${verb}.v1`,
    data: { resourceId: 'd', shares },
  });
  const now = Date.parse('2026-05-01T00:00:00Z');
  const soon = '2026-05-03T00:00:00Z';
  const find = (...entries: ReturnType<typeof entry>[]) =>
    findExpiring(entries, now, now + 14 * 86_400_000).map(({ id }) => id);

  it('are those whose latest entry grants them with an end in the period', () => {
    expect(
      find(entry('granted', share('a', soon), share('b', null), share('c', '2026-07-01T00:00:00Z'))),
    ).toEqual(['a']);
    expect(find(entry('revoked', share('a', soon)), entry('granted', share('a', soon)))).toEqual([]);
    expect(find(entry('granted', share('a', null)), entry('granted', share('a', soon)))).toEqual([]);
    expect(find(entry('granted', share('a', soon)), entry('revoked', share('a', soon)))).toEqual(['a']);
  });

  it('are empty for entries of another shape', () => {
    expect(
      findExpiring([{ type: 'management.dashboard_share.granted.v1', data: { shares: 1 } }], 0, now),
    ).toEqual([]);
  });
});

describe('activity by period', () => {
  it('counts every entry once, in a bounded number of periods', () => {
    const entry = fc.record({
      time: fc
        .date({ min: new Date('2024-01-01'), max: new Date('2026-12-31'), noInvalidDate: true })
        .map((date) => date.toISOString()),
      outcome: fc.constantFrom('done', 'refused'),
    });
    fc.assert(
      fc.property(fc.array(entry), (entries) => {
        const buckets = countByPeriod(entries);
        expect(buckets.length).toBeLessThanOrEqual(73);
        expect(buckets.reduce((sum, { done, refused }) => sum + done + refused, 0)).toBe(entries.length);
        expect(buckets.map(({ at }) => at)).toEqual(buckets.map(({ at }) => at).toSorted((a, b) => a - b));
      }),
    );
  });
});

describe('the links of an export', () => {
  const chain = ['a', 'b', 'c', 'd'].map((hash, index) => ({
    sequence: index + 1,
    hash,
    previousHash: index === 0 ? '' : 'abcd'.charAt(index - 1),
  }));
  const check = (entries: typeof chain, head = { sequence: 4, hash: 'd' }) => {
    const links = new LinkCheck();
    for (const entry of entries) links.add(entry);
    return links.end(head);
  };

  it('are intact from the first entry to the head', () => {
    expect(check(chain)).toEqual({ count: 4, brokenAt: null, hasHead: true });
  });

  it.each([
    ['an entry is missing', chain.filter((_, index) => index !== 1), 3],
    ['an entry was changed', chain.map((one) => (one.hash === 'b' ? { ...one, hash: 'x' } : one)), 3],
    ['two entries changed places', [chain[1], chain[0], chain[2], chain[3]].flatMap((one) => one ?? []), 1],
  ])('break where %s', (_name, entries, brokenAt) => {
    expect(check(entries).brokenAt).toBe(brokenAt);
  });

  it('do not reach the head if the end is missing', () => {
    expect(check(chain.slice(0, 3))).toEqual({ count: 3, brokenAt: null, hasHead: false });
  });
});

describe('the choices of a migration', () => {
  const record = (sourceId: string) => ({ sourceId, name: null, suggestedTargetId: null, candidates: [] });
  const analysis: MigrationAnalysis = {
    dashboard: { id: 'd', title: 'D', projectId: 'p', version: 1 },
    targetProject: { id: 't', name: 'T' },
    connections: [
      { ...record('c1'), type: null },
      { ...record('constructor'), type: null },
    ],
    domains: [record('m1')],
    datamodels: [],
    visuals: [record('v1'), record('v2')],
    assistantProfiles: [],
    suggestedRequest: {
      connectionMapping: { c1: 'c9' },
      domainMapping: { m1: null },
      visualMapping: { v1: 'unlink' },
    },
    problems: [],
  };

  it('begin with the suggestions, and are empty where there is none', () => {
    expect(suggestedChoices(analysis)).toEqual({
      'connections c1': 'c9',
      'connections constructor': '',
      'domains m1': COPY,
      'visuals v1': UNLINK,
      'visuals v2': '',
    });
  });

  it('become the request that the analysis suggested', () => {
    expect(toMappings(analysis, suggestedChoices(analysis))).toEqual({
      ...analysis.suggestedRequest,
      datamodelMapping: {},
    });
    expect(toMappings(analysis, { 'visuals v2': ' ', 'connections c1': ' x' })['visualMapping']).toEqual({});
  });
});
