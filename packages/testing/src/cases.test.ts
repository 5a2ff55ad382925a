import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectedList, expectedViewers, loadAccessCases, organizationOf } from './cases.js';

const GOOD = `
given:
  tenants: [acme]
  users:
    ada: { role: AUTHOR }
    max: { role: ADMIN }
    pam: { role: POWER_USER, tenant: acme, later: { role: VIEWER } }
  groups:
    crew: { type: TENANT_GROUP, tenant: acme, members: [pam] }
cases:
  - name: a case
    why: Because of a reason given here.
    users:
      ada: { role: ADMIN, later: { isActive: false } }
    visuals:
      chart: { owner: ada, isPrivate: false, takenOverBy: max }
    dashboards:
      sales:
        owner: ada
        links: [chart]
        shares:
          - { scope: specific_tenant_user, target: pam, role: EDITOR }
          - { scope: specific_tenant_user, target: pam, role: OWNER, expires: future }
          - { scope: group, target: crew, role: VIEWER, expires: past, by: pam }
          - { scope: all_org_users, role: VIEWER }
        revoked: [{ scope: all_org_users }]
    expect:
      sales: { pam: VIEWER by share }
      chart: { max: OWNER by ownership, pam: VIEWER by linked dashboard, ada: none }
`;

describe('loadAccessCases', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'gatehouse-cases-'));
  });
  afterAll(() => rm(dir, { recursive: true }));

  async function load(source: string) {
    await writeFile(join(dir, 'some.yaml'), source);
    return loadAccessCases(dir);
  }

  it('adds the users of the file to the case, and expects no access for all others', async () => {
    const [accessCase] = await load(GOOD);
    expect(accessCase).toMatchObject({ file: 'some.yaml', name: 'a case', tenants: ['acme'] });
    expect(accessCase?.users.ada?.role).toBe('ADMIN');
    expect(accessCase?.expected).toEqual({
      sales: { ada: null, max: null, pam: { level: 'VIEWER', path: 'share' } },
      chart: {
        ada: null,
        max: { level: 'OWNER', path: 'ownership' },
        pam: { level: 'VIEWER', path: 'linked dashboard' },
      },
    });
  });

  it('derives the lists and the viewers from the expectations', async () => {
    const [accessCase] = await load(GOOD);
    if (accessCase === undefined) throw new Error('no case');
    expect(expectedList(accessCase, 'pam', 'dashboard')).toEqual(['sales']);
    expect(expectedList(accessCase, 'pam', 'visual')).toEqual(['chart']);
    expect(expectedList(accessCase, 'max', 'dashboard')).toEqual([]);
    expect(expectedViewers(accessCase, 'sales')).toEqual(['pam']);
    expect(expectedViewers(accessCase, 'chart')).toEqual(['max', 'pam']);
  });

  it('returns the organization in the state after the case', async () => {
    const [accessCase] = await load(GOOD);
    if (accessCase === undefined) throw new Error('no case');
    const now = new Date('2026-01-15T12:00:00.000Z');
    const { users, groups, resources } = organizationOf(accessCase, now);
    expect(users).toEqual({
      ada: { tenant: null, role: 'ADMIN', isActive: false },
      max: { tenant: null, role: 'ADMIN', isActive: true },
      pam: { tenant: 'acme', role: 'VIEWER', isActive: true },
    });
    expect(groups).toEqual({ crew: { type: 'TENANT_GROUP', tenant: 'acme', members: ['pam'] } });
    expect(resources.chart).toEqual({
      type: 'visual',
      project: 'main',
      owner: 'max',
      isPrivate: false,
      links: [],
      shares: [],
    });
    expect(resources.sales).toEqual({
      type: 'dashboard',
      project: 'main',
      owner: 'ada',
      isPrivate: true,
      links: ['chart'],
      shares: [
        {
          scope: 'specific_tenant_user',
          target: 'pam',
          role: 'OWNER',
          expiresAt: new Date('2026-01-15T13:00:00.000Z'),
        },
        { scope: 'group', target: 'crew', role: 'VIEWER', expiresAt: now },
      ],
    });
  });

  it.each([
    ['a key that it does not know', 'isPrivate: false', 'isPublic: false', 'isPublic'],
    [
      'a why that is no sentence',
      'why: Because of a reason given here.',
      'why: because',
      'must be a sentence',
    ],
    ['an expectation that is none', 'pam: VIEWER by share }', 'pam: VIEWER }', 'EDITOR by group'],
    ['an unknown level', 'VIEWER by share', 'READER by share', 'EDITOR by group'],
    ['an unknown path', 'VIEWER by share', 'VIEWER by luck', 'EDITOR by group'],
    ['an expectation of a stranger', 'ada: none', 'eve: none', 'eve is expected but unknown'],
    ['an expectation about nothing', 'chart: { max', 'graph: { max', 'chart has no expectation'],
    [
      'a role that the user cannot have',
      'pam: { role: POWER_USER',
      'pam: { role: ADMIN',
      'pam cannot have its role',
    ],
    [
      'a user of an unknown tenant',
      'tenant: acme, later',
      'tenant: globex, later',
      'pam is of an unknown tenant',
    ],
    ['a group with a stranger', 'members: [pam]', 'members: [ada]', 'crew has a member'],
    ['a group of the wrong type', 'type: TENANT_GROUP', 'type: ORG_GROUP', 'crew has a tenant exactly if'],
    ['an owner who cannot create', 'chart: { owner: ada', 'chart: { owner: eve', 'chart has an owner'],
    [
      'a target of the wrong kind',
      'target: pam, role: EDITOR',
      'target: ada, role: EDITOR',
      'cannot be shared',
    ],
    ['a target too many', 'all_org_users, role', 'all_org_users, target: pam, role', 'cannot be shared'],
    ['a target too few', 'target: crew, role: VIEWER', 'role: VIEWER', 'group with no target'],
    ['an unknown granter', 'by: pam', 'by: eve', 'is shared by eve'],
    ['a take-over by no ADMIN', 'takenOverBy: max', 'takenOverBy: pam', 'is taken over by no ADMIN'],
    ['a link to no visual', 'links: [chart]', 'links: [sales]', 'links an unknown visual'],
  ])('rejects %s and names the location', async (_, right, wrong, message) => {
    expect(GOOD).toContain(right);
    const loading = load(GOOD.replace(right, wrong));
    await expect(loading).rejects.toThrow(message);
    await expect(loading).rejects.toThrow('some.yaml');
  });

  it('rejects two cases with the same name', async () => {
    const again = GOOD.slice(GOOD.indexOf('  - name: a case'));
    await expect(load(GOOD + again)).rejects.toThrow('two cases are named "a case"');
  });
});
