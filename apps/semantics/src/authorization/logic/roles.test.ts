import {
  callersOf,
  DOMAIN_ACCESS_CASES,
  DOMAIN_CALLERS,
  DOMAIN_VERBS,
  domainAccessOf,
  domainOutcome,
  type DomainVerb,
  newGround,
} from '@gatehouse/testing';
import { AppError, type Principal } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { findUnknownDomains, requireVisible, seesDomain } from './domainAccess.js';
import { isAuthor, requireAdmin, requireAuthor, requireDomainCreator, requireReader } from './roles.js';

const DOMAIN = { _id: 'dom_sales', name: 'sales' };
const OTHER = { _id: 'dom_stock', name: 'stock' };

const CHECKS: Record<DomainVerb, (principal: Principal) => Principal> = {
  list: requireReader,
  get: requireReader,
  getTemplate: requireReader,
  create: requireDomainCreator,
  update: requireAdmin,
  delete: requireAdmin,
  putTemplate: requireAdmin,
};

function isAllowed(check: () => unknown): boolean {
  try {
    check();
    return true;
  } catch {
    return false;
  }
}

const named = ({ _id: id, name }: typeof DOMAIN) => ({ id, name });

function decide(principal: Principal, verb: DomainVerb) {
  try {
    CHECKS[verb](principal);
    if (verb !== 'create') requireVisible(principal.semanticDomainAccess, DOMAIN);
    return 'yes';
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return error.code === 'NOT_FOUND' ? 'hidden' : 'no';
  }
}

describe('the access of each caller to a semantic domain', () => {
  const callers = callersOf(newGround());
  const cells = DOMAIN_CALLERS.flatMap((caller) =>
    DOMAIN_ACCESS_CASES.flatMap((access) => DOMAIN_VERBS.map((verb) => ({ caller, access, verb }))),
  );

  it.each(cells)('$caller, $access: $verb', ({ caller, access, verb }) => {
    const semanticDomainAccess = domainAccessOf(access, named(DOMAIN), named(OTHER));
    const principal = { ...callers[caller], ...(semanticDomainAccess && { semanticDomainAccess }) };
    expect(decide(principal, verb)).toBe(domainOutcome(caller, access, verb));
  });

  it('follows the current name of the domain, and its id', () => {
    const renamed = { ...DOMAIN, name: 'revenue' };
    const sees = (mode: 'include' | 'exclude', entry: string) =>
      seesDomain({ mode, domains: [entry] }, renamed);
    expect([sees('include', 'sales'), sees('include', 'revenue'), sees('include', 'dom_sales')]).toEqual([
      false,
      true,
      true,
    ]);
    expect([sees('exclude', 'sales'), sees('exclude', 'revenue'), sees('exclude', 'dom_sales')]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe('the reason of a denial', () => {
  const known = callersOf(newGround());
  const callers = { ...known, compiler: { ...known.service, kind: 'compiler' } as Principal };
  const REASONS = {
    orgAuthor: 'This needs the ADMIN role',
    orgViewer: 'This needs the ADMIN role',
    tenantPowerUser: 'This needs the ADMIN role',
    tenantViewer: 'This needs the ADMIN role',
    service: 'This needs a token that acts as a user',
    compiler: 'This needs a token that acts as a user',
    orgAdminOnDashboard: 'A dashboard token reaches its dashboard only',
    tenantViewerOnDashboard: 'A dashboard token reaches its dashboard only',
    anonymousOnDashboard: 'A dashboard token reaches its dashboard only',
  } as const;

  it.each(Object.entries(REASONS))('names what %s lacks', (caller, message) => {
    const principal = callers[caller as keyof typeof REASONS];
    expect(() => requireAdmin(principal)).toThrow(new AppError('FORBIDDEN', { message }));
  });

  it('is the kind of token for every token of a dashboard, and for every caller without an identity', () => {
    const { orgAdmin, anonymousOnDashboard } = callers;
    const denied = new AppError('FORBIDDEN', { message: REASONS.anonymousOnDashboard });
    const principals = [
      { ...orgAdmin, tokenType: 'dashboard', dashboardId: 'd_1' },
      { ...anonymousOnDashboard, tokenType: 'project' },
    ] as Principal[];
    for (const principal of principals) {
      for (const check of Object.values(CHECKS)) expect(() => check(principal)).toThrow(denied);
      expect(isAuthor(principal)).toBe(false);
    }
  });
});

describe('isAuthor', () => {
  it.each(Object.entries(callersOf(newGround())))('agrees with requireAuthor for %s', (_, principal) => {
    expect(isAuthor(principal)).toBe(isAllowed(() => requireAuthor(principal)));
  });
});

describe('findUnknownDomains', () => {
  it('returns unknown names and ids in their order, without duplicates', () => {
    const entries = ['none', 'sales', 'dom_stock', 'SALES', 'none', 'dom_none'];
    expect(findUnknownDomains(entries, [DOMAIN, OTHER])).toEqual(['none', 'SALES', 'dom_none']);
  });
});
