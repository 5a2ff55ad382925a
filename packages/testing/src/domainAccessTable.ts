/**
 * The permissions of each caller on one semantic domain, cell by cell: the rule as a table, not computed. The
 * tests of the decision and of the API both compare the platform with it.
 */

/** The `semanticDomainAccess` of a token in relation to the one domain. */
export const DOMAIN_ACCESS_CASES = [
  'omitted',
  'all',
  'none',
  'includeName',
  'includeId',
  'includeOther',
  'excludeName',
  'excludeId',
  'excludeOther',
] as const;
export type DomainAccessCase = (typeof DOMAIN_ACCESS_CASES)[number];

/** The callers of each role by each type of token. */
export const DOMAIN_CALLERS = [
  'orgAdmin',
  'orgAuthor',
  'orgViewer',
  'tenantPowerUser',
  'tenantViewer',
  'service',
  'orgAdminOnDashboard',
  'tenantViewerOnDashboard',
  'anonymousOnDashboard',
] as const;
export type DomainCaller = (typeof DOMAIN_CALLERS)[number];

export const DOMAIN_VERBS = [
  'list',
  'get',
  'getTemplate',
  'create',
  'update',
  'delete',
  'putTemplate',
] as const;
export type DomainVerb = (typeof DOMAIN_VERBS)[number];

/** `yes`: done. `hidden`: as if it did not exist. `no`: forbidden, for existing and missing records. */
export type DomainOutcome = 'yes' | 'hidden' | 'no';

/**
 * For each caller, the cells in the order of the cases: R reads, C creates, W updates, deletes and writes the
 * template.
 */
const TABLE: Record<DomainCaller, string> = {
  //                       omitted all none incName incId incOther excName excId excOther
  orgAdmin: '               RCW    RCW  h-h  R-W     R-W   h-h      h-h     h-h   R-W',
  orgAuthor: '              R--    R--  h--  R--     R--   h--      h--     h--   R--',
  orgViewer: '              R--    R--  h--  R--     R--   h--      h--     h--   R--',
  tenantPowerUser: '        R--    R--  h--  R--     R--   h--      h--     h--   R--',
  tenantViewer: '           R--    R--  h--  R--     R--   h--      h--     h--   R--',
  service: '                R--    R--  h--  R--     R--   h--      h--     h--   R--',
  orgAdminOnDashboard: '    ---    ---  ---  ---     ---   ---      ---     ---   ---',
  tenantViewerOnDashboard: '---    ---  ---  ---     ---   ---      ---     ---   ---',
  anonymousOnDashboard: '   ---    ---  ---  ---     ---   ---      ---     ---   ---',
};

const COLUMN: Record<DomainVerb, number> = {
  list: 0,
  get: 0,
  getTemplate: 0,
  create: 1,
  update: 2,
  delete: 2,
  putTemplate: 2,
};
const OUTCOMES: Record<string, DomainOutcome> = { h: 'hidden', '-': 'no' };

/** The expected result for one cell. */
export function domainOutcome(
  caller: DomainCaller,
  access: DomainAccessCase,
  verb: DomainVerb,
): DomainOutcome {
  const cell = TABLE[caller].trim().split(/\s+/)[DOMAIN_ACCESS_CASES.indexOf(access)];
  return OUTCOMES[cell?.[COLUMN[verb]] ?? '-'] ?? 'yes';
}

/** The `semanticDomainAccess` of a case; undefined if it is omitted. */
export function domainAccessOf(
  access: DomainAccessCase,
  domain: { id: string; name: string },
  other: { id: string; name: string },
) {
  const modes = {
    omitted: undefined,
    all: { mode: 'all' },
    none: { mode: 'none' },
    includeName: { mode: 'include', domains: [other.id, domain.name] },
    includeId: { mode: 'include', domains: [domain.id, other.name] },
    includeOther: { mode: 'include', domains: [other.name] },
    excludeName: { mode: 'exclude', domains: [domain.name, other.id] },
    excludeId: { mode: 'exclude', domains: [other.name, domain.id] },
    excludeOther: { mode: 'exclude', domains: [other.id] },
  } as const satisfies Record<DomainAccessCase, unknown>;
  const { [access]: found } = modes;
  // The contract's arrays are not readonly.
  return found === undefined || !('domains' in found) ? found : { ...found, domains: [...found.domains] };
}
