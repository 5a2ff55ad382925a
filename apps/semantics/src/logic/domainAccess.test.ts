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
import type { Principal } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { judgeAdmin, judgeDomainCreator, judgeReader, type Refusal } from './authority.js';
import { findUnknownDomains, seesDomain } from './domainAccess.js';

const DOMAIN = { id: 'dom_sales', name: 'sales' };
const OTHER = { id: 'dom_stock', name: 'stock' };

const JUDGES: Record<DomainVerb, (principal: Principal) => Principal | Refusal> = {
  list: judgeReader,
  get: judgeReader,
  getTemplate: judgeReader,
  create: judgeDomainCreator,
  update: judgeAdmin,
  delete: judgeAdmin,
  putTemplate: judgeAdmin,
};

function decide(principal: Principal, verb: DomainVerb) {
  if (typeof JUDGES[verb](principal) === 'string') return 'no';
  return verb === 'create' || seesDomain(principal.semanticDomainAccess, DOMAIN) ? 'yes' : 'hidden';
}

describe('what each caller may do with a semantic domain', () => {
  const callers = callersOf(newGround());
  const cells = DOMAIN_CALLERS.flatMap((caller) =>
    DOMAIN_ACCESS_CASES.flatMap((access) => DOMAIN_VERBS.map((verb) => ({ caller, access, verb }))),
  );

  it.each(cells)('$caller, $access: $verb', ({ caller, access, verb }) => {
    const semanticDomainAccess = domainAccessOf(access, DOMAIN, OTHER);
    const principal = { ...callers[caller], ...(semanticDomainAccess && { semanticDomainAccess }) };
    expect(decide(principal, verb)).toBe(domainOutcome(caller, access, verb));
  });

  it('follows the name that the domain has now, and its id for ever', () => {
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

describe('names and ids that mean no domain', () => {
  it('are found among those given, each once, in their order', () => {
    const entries = ['none', 'sales', 'dom_stock', 'SALES', 'none', 'dom_none'];
    expect(findUnknownDomains(entries, [DOMAIN, OTHER])).toEqual(['none', 'SALES', 'dom_none']);
  });
});
