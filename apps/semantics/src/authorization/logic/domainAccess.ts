import { AppError, type SemanticDomainAccess } from '@gatehouse/contract';

/** The id of a semantic domain, and its current name. */
interface NamedDomain {
  _id: string;
  name: string;
}

/** Whether a token sees every semantic domain of its project, future ones included. */
export function seesEveryDomain(access: SemanticDomainAccess | undefined): boolean {
  return access === undefined || access.mode === 'all';
}

/**
 * Whether a token sees a semantic domain. Entries are names or ids; a name matches the domain that has it
 * now.
 */
export function seesDomain(
  access: SemanticDomainAccess | undefined,
  { _id: id, name }: NamedDomain,
): boolean {
  if (access === undefined || access.mode === 'all') return true;
  if (access.mode === 'none') return false;
  const isListed = access.domains.includes(id) || access.domains.includes(name);
  return access.mode === 'include' ? isListed : !isListed;
}

/** Returns the domain. Throws NOT_FOUND, as for a missing one, when the token does not see it. */
export function requireVisible<T extends NamedDomain>(
  access: SemanticDomainAccess | undefined,
  domain: T,
): T {
  if (!seesDomain(access, domain)) throw new AppError('NOT_FOUND');
  return domain;
}

/** The entries, without duplicates, that are neither the name nor the id of one of the domains. */
export function findUnknownDomains(entries: readonly string[], domains: readonly NamedDomain[]): string[] {
  const known = new Set(domains.flatMap(({ _id, name }) => [_id, name]));
  return [...new Set(entries)].filter((entry) => !known.has(entry));
}
