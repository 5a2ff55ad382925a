import type { UserType } from '@gatehouse/contract';
import type { Share } from '../../sharing/logic/grants.js';
import { parseParts, PART_SHARES, partAt, placeOf, type SharePart } from '../logic/partedShares.js';
import type { ListedParts } from './document.js';
import type { PartedResources } from './reachingShares.js';

/** A user, in the order of lists of users: org users before tenant users, each by id. */
export interface UserPlace {
  type: UserType;
  id: string;
}

const SCOPES = { organization: 'specific_org_user', tenant: 'specific_tenant_user' } as const;

const placeOfUser = ({ type, id }: UserPlace) => placeOf({ scope: SCOPES[type], targetId: id });
const FIRST = placeOf({ scope: SCOPES.organization, targetId: null });
const FIRST_OF_TENANT_USERS = placeOf({ scope: SCOPES.tenant, targetId: null });
/** After every id, which has no character as high. */
const LAST = placeOf({ scope: SCOPES.tenant, targetId: '~' });

/** The parts that may have users after a place. */
function partsOfUsers(parts: readonly SharePart[], after: string): readonly SharePart[] {
  return parts.slice(partAt(parts, after), partAt(parts, LAST) + 1);
}

/** The first parts with at least `count` shares together. */
function firstParts(parts: readonly SharePart[], count: number): readonly SharePart[] {
  let sum = 0;
  const last = parts.findIndex((part) => (sum += part.count) >= count);
  return last === -1 ? parts : parts.slice(0, last + 1);
}

/** Returns the user of a share with a single user; null for any other share. */
function userOf({ scope, targetId }: Share): UserPlace | null {
  if (targetId === null) return null;
  if (scope === SCOPES.organization) return { type: 'organization', id: targetId };
  return scope === SCOPES.tenant ? { type: 'tenant', id: targetId } : null;
}

const isAfter = (share: Share, start: string): boolean => {
  const user = userOf(share);
  return user !== null && placeOfUser(user) > start;
};

const endOf = (shares: readonly Share[]): UserPlace | null => {
  const last = shares.at(-1);
  return last === undefined ? null : userOf(last);
};

/** The first shares, at least `count` if there are as many, with all of the last user. */
function firstShares(shares: readonly Share[], count: number): Share[] {
  const last = shares[count - 1];
  if (last === undefined) return [...shares];
  const isOther = (share: Share, index: number) => index >= count && placeOf(share) !== placeOf(last);
  const end = shares.findIndex(isOther);
  return shares.slice(0, end === -1 ? shares.length : end);
}

/** The shares of consecutive users. */
export interface UserShares {
  shares: Share[];
  /** The last of the users; null if no further user follows. */
  end: UserPlace | null;
}

/** Which shares are read. */
export interface UserSlice {
  /** The end of the previous slice. */
  after: UserPlace | undefined;
  count: number;
  /** The tenant of the users; null for all users. */
  tenantKey: string | null;
}

/** Reads the shares of single users in parts. */
export function createUserShares({ parts: stored }: PartedResources) {
  return {
    /**
     * Returns the shares of the next users after a place, of at least `count` if there are as many. Throws
     * WriteConflict if a part was replaced.
     */
    async findUserShares(
      projectId: string,
      { list }: Pick<ListedParts, 'list'>,
      { after, count, tenantKey }: UserSlice,
    ): Promise<UserShares> {
      const first = tenantKey === null ? FIRST : FIRST_OF_TENANT_USERS;
      const start = after === undefined ? first : placeOfUser(after);
      let parts = partsOfUsers(parseParts(list), start);
      const shares: Share[] = [];
      let end: UserPlace | null = null;
      // Few of very many shares may be of the tenant.
      for (let size = count; parts.length > 0 && shares.length < count; size *= 2) {
        const next = firstParts(parts, size);
        parts = parts.slice(next.length);
        const ids = next.map(({ id }) => id);
        const read = await stored.readShares(projectId, ids);
        const ofUsers = ids.flatMap((id) => read.get(id) ?? []).filter((share) => isAfter(share, start));
        end = endOf(ofUsers) ?? end;
        shares.push(...ofUsers.filter((share) => tenantKey === null || share.tenantKey === tenantKey));
      }
      // The last part may have many more, each of which would be looked up.
      const wanted = firstShares(shares, Math.max(count, PART_SHARES));
      if (wanted.length < shares.length) return { shares: wanted, end: endOf(wanted) };
      return { shares, end: parts.length === 0 ? null : end };
    },
  };
}
