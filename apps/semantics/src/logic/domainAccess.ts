import type { SemanticDomainAccess } from '@gatehouse/contract';

/** What a token's access is decided on: a domain's id, and the name that it has now. */
interface NamedDomain {
  id: string;
  name: string;
}

/** Whether a token sees every semantic domain of its project, those to come included. */
export function seesEveryDomain(access: SemanticDomainAccess | undefined): boolean {
  return access === undefined || access.mode === 'all';
}

/** Whether a token sees a semantic domain. Entries are names or ids; a name means whichever domain has it now. */
export function seesDomain(access: SemanticDomainAccess | undefined, { id, name }: NamedDomain): boolean {
  if (access === undefined || access.mode === 'all') return true;
  if (access.mode === 'none') return false;
  const isListed = access.domains.includes(id) || access.domains.includes(name);
  return access.mode === 'include' ? isListed : !isListed;
}

/** The entries, each once, that are neither name nor id of one of the domains. */
export function findUnknownDomains(entries: readonly string[], domains: readonly NamedDomain[]): string[] {
  const known = new Set(domains.flatMap(({ id, name }) => [id, name]));
  return [...new Set(entries)].filter((entry) => !known.has(entry));
}
