import {
  addressOf,
  membersOf,
  sharesOf,
  type ConfigurationRecord,
  type ShareFields,
} from '../model/records.js';
import { contentReferences } from '../model/references.js';

/** Who may view a dashboard or visual without a link, by the files. */
class Viewers {
  readonly #records: ReadonlyMap<string, ConfigurationRecord>;

  constructor(records: readonly ConfigurationRecord[]) {
    this.#records = new Map(records.map((record) => [addressOf(record), record]));
  }

  /** The key of a user's tenant; null for an org user. */
  #tenantOf(user: string): string | null {
    const isOrgUser = this.#records.has(addressOf({ kind: 'orgUser', key: user }));
    const fields = this.#records.get(addressOf({ kind: 'tenantUser', key: user }))?.fields;
    return isOrgUser || !fields ? null : String(fields['tenant']);
  }

  #isReached(user: string, { scope, ...share }: ShareFields): boolean {
    const tenant = this.#tenantOf(user);
    if (share.tenantUser !== undefined || share.orgUser !== undefined)
      return [share.tenantUser, share.orgUser].includes(user);
    if (share.tenant !== undefined) return share.tenant === tenant;
    const group = share.group && this.#records.get(addressOf({ kind: 'group', key: share.group }));
    if (group) return membersOf(group.fields).includes(user);
    return scope === 'all_tenants_only' ? tenant !== null : scope !== 'group' && tenant === null;
  }

  mayView(user: string, { fields }: ConfigurationRecord): boolean {
    const owner = String(fields['owner']);
    const isAtHome = fields['isPrivate'] === false && this.#tenantOf(user) === this.#tenantOf(owner);
    return user === owner || isAtHome || sharesOf(fields).some((share) => this.#isReached(user, share));
  }
}

const ownerOf = ({ fields }: ConfigurationRecord) => String(fields['owner']);

function linkedVisuals(dashboard: ConfigurationRecord): Set<string> {
  const references = contentReferences(dashboard).filter(({ target }) => target === 'visual');
  return new Set(references.map(({ key }) => key));
}

/** The dashboards that link each visual, by its key. */
function linkingDashboards(records: readonly ConfigurationRecord[]): Map<string, ConfigurationRecord[]> {
  const linking = new Map<string, ConfigurationRecord[]>();
  for (const record of records.filter(({ kind }) => kind === 'dashboard'))
    for (const visual of linkedVisuals(record)) linking.set(visual, [...(linking.get(visual) ?? []), record]);
  return linking;
}

/**
 * The dashboards that have to be there before another one, by its address: its owner sees a visual that it
 * links through their links alone. A link lets others view a visual only if the user who saves it may.
 *
 * @param records all records of the files
 */
export function findEarlierDashboards(
  records: readonly ConfigurationRecord[],
): Map<string, ConfigurationRecord[]> {
  const viewers = new Viewers(records);
  const visuals = new Map(
    records.filter(({ kind }) => kind === 'visual').map((record) => [record.key, record]),
  );
  const earlier = new Map<string, ConfigurationRecord[]>();
  for (const [key, dashboards] of linkingDashboards(records)) {
    const visual = visuals.get(key);
    const isDirect = (dashboard: ConfigurationRecord) =>
      visual !== undefined && viewers.mayView(ownerOf(dashboard), visual);
    const valid = dashboards.filter(isDirect);
    const waiting = new Set(dashboards.filter((dashboard) => !isDirect(dashboard)));
    // Grows while dashboards are added to it.
    for (const linking of valid) {
      const freed = [...waiting].filter((dashboard) => viewers.mayView(ownerOf(dashboard), linking));
      for (const dashboard of freed) {
        waiting.delete(dashboard);
        const address = addressOf(dashboard);
        earlier.set(address, [...(earlier.get(address) ?? []), linking]);
      }
      valid.push(...freed);
    }
  }
  return earlier;
}
