/** The nouns of operations, as they occur in their names, with those of the command line. */
const NOUNS: readonly (readonly [word: string, noun: string])[] = [
  ['UnifiedUser', 'unified-users'],
  ['TenantUser', 'tenant-users'],
  ['OrgUser', 'org-users'],
  ['User', 'unified-users'],
  ['AssistantProfile', 'assistant-profiles'],
  ['PolicyDefinition', 'policy-definitions'],
  ['PolicyAssignment', 'policy-assignments'],
  ['PolicyTest', 'policy-tests'],
  ['Policies', 'policies'],
  ['Policy', 'policies'],
  ['AuditEvent', 'audit-events'],
  ['VersionControl', 'version-control'],
  ['SigningKey', 'signing-keys'],
  ['SignInCode', 'sign-in-codes'],
  ['Dashboard', 'dashboards'],
  ['Visual', 'visuals'],
  ['Group', 'groups'],
  ['Tenant', 'tenants'],
  ['Project', 'projects'],
  ['Domain', 'domains'],
  ['Connection', 'connections'],
  ['Catalog', 'catalogs'],
  ['Datamodel', 'datamodels'],
  ['Webhook', 'webhooks'],
  ['Migration', 'migrations'],
  ['Session', 'sessions'],
  ['Token', 'tokens'],
];

/** `isPrivate` as `is-private`. */
export function kebabCase(text: string): string {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/^-+|-+$/g, '');
}

interface Place {
  start: number;
  end: number;
  noun: string;
}

/** The first noun in the name of an operation, the longest of those that begin at the same place. */
function findNoun(operationId: string): Place | null {
  const places = NOUNS.flatMap(([word, noun]): Place[] => {
    const found = new RegExp(`${word}s?(?=[A-Z]|$)`).exec(operationId);
    return found ? [{ start: found.index, end: found.index + found[0].length, noun }] : [];
  });
  return places.toSorted((a, b) => a.start - b.start || b.end - a.end)[0] ?? null;
}

/**
 * The command of an operation as noun and verb: `dashboards list` for `listDashboards`. The words around the
 * noun are the verb, as in `webhooks list-deliveries`.
 */
export function commandNameOf(operationId: string): string {
  const place = findNoun(operationId);
  if (place === null) {
    // An operation of no known noun: its first word is the verb.
    const [verb = '', ...noun] = kebabCase(operationId).split('-');
    return `${noun.join('-') || 'operations'} ${verb}`;
  }
  const [before, after] = [operationId.slice(0, place.start), operationId.slice(place.end)];
  return `${place.noun} ${[kebabCase(before), kebabCase(after)].filter((word) => word !== '').join('-')}`;
}
