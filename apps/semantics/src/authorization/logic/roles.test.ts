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
