import type { QuotaName, UserRole } from '@gatehouse/contract';
import {
  containing,
  type Current,
  type Draft,
  type LimitsOf,
  orNotFound,
  type Page,
  type ReadLimits,
  type Slice,
  type Written,
} from '@gatehouse/service';
import type { Db, Document } from 'mongodb';
import type { OrgUserDocument, PersonFacts, TenantUserDocument, UserDocument } from '../records/documents.js';
import { TERM_SOURCES, userTerms } from '../records/terms.js';
import type { Found } from '../records/totals.js';
import { type Listed, ListedStore } from '../records/store/listedStore.js';
import { type CountLimits, UserCounts, type UserPart } from './store/userCounts.js';
import { UserMarks } from './store/userMarks.js';

/** Selects the people of a list. */
export interface UserFilter {
  /** A folded text that the name or the e-mail contains. */
  searchFolded?: string | undefined;
  /** The only ids; undefined for all. */
  ids?: readonly string[] | undefined;
  isActive?: boolean | undefined;
  /** The only tenant that the caller may see; null for all. Does not apply to org users. */
  withinTenantKey?: string | null | undefined;
  tenantId?: string | undefined;
}

/** As many users are counted to count the others. */
const FEW = 5000;

/** The part of the people that an index contains, and the filters on it. */
function listedOf({ searchFolded, ids, isActive, withinTenantKey, tenantId }: UserFilter): Listed {
  const isWithin = typeof withinTenantKey === 'string';
  const condition = {
    ...(ids === undefined ? {} : { id: { $in: ids } }),
    ...(isWithin ? { tenantKey: withinTenantKey } : {}),
    ...(tenantId === undefined ? {} : { tenantId }),
  };
  const byTenant = isWithin ? 'byTenantAndName' : tenantId === undefined ? 'byName' : 'byTenantIdAndName';
  const conditions = {
    ...(searchFolded === undefined ? {} : { searchTexts: containing(searchFolded) }),
    ...(isActive === undefined ? {} : { isActive }),
  };
  const terms = { fields: { isActive }, search: searchFolded };
  return { part: { condition, hint: ids === undefined ? byTenant : 'id' }, conditions, terms };
}

const FACTS: Record<Exclude<keyof PersonFacts<TenantUserDocument>, '_id'>, 1> = {
  id: 1,
  name: 1,
  email: 1,
  role: 1,
  isActive: 1,
  tenantId: 1,
  tenantKey: 1,
};

/** The store of one kind of user: org users or tenant users. */
abstract class UserStore<T extends UserDocument> extends ListedStore<T> {
  constructor(
    database: Db,
    limitsOf: LimitsOf,
    kind: { collection: string; quota: QuotaName; readLimits: ReadLimits | undefined },
  ) {
    super(database, limitsOf, { ...kind, sources: TERM_SOURCES.user, termsOf: userTerms });
  }

  find(organizationId: string, id: string): Promise<T | null> {
    return this.findOne(organizationId, { id });
  }

  async get(organizationId: string, id: string): Promise<T> {
    return orNotFound(await this.find(organizationId, id));
  }

  /** The people with these ids, in no particular order. */
  listByIds(organizationId: string, ids: readonly string[]): Promise<T[]> {
    return this.findMany(organizationId, { id: { $in: ids } });
  }

  /** One page by name, and the number of matches up to a limit. With a limit of 0, only the number. */
  page(
    organizationId: string,
    filter: UserFilter,
    page: Page & { totalMax?: number | undefined },
  ): Promise<Found<T>> {
    return this.findListed(organizationId, listedOf(filter), page);
  }

  /** The facts of up to `limit` active people that match a condition, by id, starting after `afterId`. */
  protected async listActiveAfter(
    organizationId: string,
    condition: Document,
    { afterId, limit }: { afterId?: string | undefined; limit: number },
  ): Promise<PersonFacts<T>[]> {
    const active = { isActive: true, id: { $gt: afterId ?? '' }, ...condition };
    return this.findMany(organizationId, active, { projection: FACTS, sort: { id: 1 }, limit });
  }
}

/** Selects people by key, and one page of them. */
export interface Selection {
  keys: readonly string[];
  afterId?: string | undefined;
  limit: number;
}

export class OrgUserStore extends UserStore<OrgUserDocument> {
  constructor(database: Db, limitsOf: LimitsOf, readLimits?: ReadLimits) {
    super(database, limitsOf, { collection: 'orgUsers', quota: 'org users', readLimits });
  }

  findByEmail(organizationId: string, emailFolded: string): Promise<OrgUserDocument | null> {
    return this.findOne(organizationId, { emailFolded });
  }

  listByEmails(organizationId: string, emailsFolded: readonly string[]): Promise<OrgUserDocument[]> {
    return this.findMany(organizationId, { emailFolded: { $in: emailsFolded } });
  }

  /** The selected active org users, by id. */
  listSelected(
    organizationId: string,
    selection: Selection & { includesAll: boolean },
  ): Promise<PersonFacts<OrgUserDocument>[]> {
    const condition = selection.includesAll ? {} : { _id: { $in: selection.keys } };
    return this.listActiveAfter(organizationId, condition, selection);
  }

  /**
   * Touches an active ADMIN other than this one, so that a concurrent operation that would end its role has
   * to read it again. Returns null when no other active ADMIN exists.
   */
  async touchOtherAdmin(organizationId: string, key: string): Promise<OrgUserDocument | null> {
    const condition = { _id: { $ne: key }, role: 'ADMIN' satisfies UserRole, isActive: true };
    return this.touchOne(organizationId, condition, { sort: { _id: 1 } });
  }
}

/** The limits of the store of tenant users. */
type TenantUserLimits = ReadLimits & { counts?: CountLimits & { lateMs: number } };

export class TenantUserStore extends UserStore<TenantUserDocument> {
  readonly #marks: UserMarks;
  readonly #counts: UserCounts;

  constructor(database: Db, limitsOf: LimitsOf, limits?: TenantUserLimits) {
    super(database, limitsOf, { collection: 'tenantUsers', quota: 'tenant users', readLimits: limits });
    this.#marks = new UserMarks(database, limits?.counts?.lateMs);
    this.#counts = new UserCounts(this.#marks, (part, keys) => this.#countStored(part, keys), limits?.counts);
  }

  override insert(
    organizationId: string,
    draft: Draft<TenantUserDocument, 'organizationId'>,
    written: Written,
  ): Promise<TenantUserDocument> {
    return this.#marks.around(organizationId, draft._id, () => super.insert(organizationId, draft, written));
  }

  override delete(
    organizationId: string,
    current: Current,
    written: Written & { isUndo?: boolean },
  ): Promise<void> {
    return this.#marks.around(organizationId, current._id, () =>
      super.delete(organizationId, current, written),
    );
  }

  findByEmail(
    organizationId: string,
    tenantKey: string,
    emailFolded: string,
  ): Promise<TenantUserDocument | null> {
    return this.findOne(organizationId, { tenantKey, emailFolded });
  }

  listByEmails(
    organizationId: string,
    tenantKey: string,
    emailsFolded: readonly string[],
  ): Promise<TenantUserDocument[]> {
    return this.findMany(organizationId, { tenantKey, emailFolded: { $in: emailsFolded } });
  }

  /** One page by name, and the exact number of matches. */
  async pageWithExactTotal(
    organizationId: string,
    filter: UserFilter,
    page: Page,
  ): Promise<Slice<TenantUserDocument> & { total: number }> {
    const [slice, total] = await Promise.all([
      this.readListed(organizationId, listedOf(filter), page),
      this.#countExactly(organizationId, filter),
    ]);
    return { ...slice, total };
  }

  /**
   * The exact number of matches. An index counts all users of a list without reading them, so the active ones
   * are counted as the rest if few are inactive, and the other way round.
   */
  async #countExactly(organizationId: string, filter: UserFilter): Promise<number> {
    const { isActive, searchFolded, ...reach } = filter;
    if (isActive !== undefined && searchFolded === undefined) {
      const others = listedOf({ ...reach, isActive: !isActive });
      const [all, opposite] = await Promise.all([
        this.#countReached(organizationId, reach),
        this.countListed(organizationId, others, FEW + 1),
      ]);
      if (opposite <= FEW) return all - opposite;
    }
    return this.#countReached(organizationId, filter);
  }

  /** Counts a whole organization or tenant by its buckets, and any other list in its index. */
  #countReached(organizationId: string, filter: UserFilter): Promise<number> {
    const { tenantId, searchFolded, ids, isActive, withinTenantKey } = filter;
    const isFiltered = searchFolded !== undefined || ids !== undefined || isActive !== undefined;
    if (isFiltered || typeof withinTenantKey === 'string')
      return this.countListed(organizationId, listedOf(filter));
    return this.#counts.count({ organizationId, tenantId });
  }

  #countStored({ organizationId, tenantId }: UserPart, keys?: Document): Promise<number> {
    const listed = listedOf({ tenantId });
    if (keys === undefined) return this.countListed(organizationId, listed);
    const hint = tenantId === undefined ? 'byKey' : 'byTenantIdAndKey';
    const part = { condition: { ...listed.part.condition, _id: keys }, hint };
    return this.countListed(organizationId, { ...listed, part });
  }

  async hasAnyIn(organizationId: string, tenantKey: string): Promise<boolean> {
    return (await this.findOne(organizationId, { tenantKey })) !== null;
  }

  /** All users of a tenant. */
  listOf(organizationId: string, tenantKey: string): Promise<TenantUserDocument[]> {
    return this.findMany(organizationId, { tenantKey });
  }

  /** The selected active tenant users, by id; `withinTenantKey` limits them to that tenant. */
  listSelected(
    organizationId: string,
    selection: Selection & {
      includesAll: boolean;
      tenantKeys: readonly string[];
      withinTenantKey?: string | undefined;
    },
  ): Promise<PersonFacts<TenantUserDocument>[]> {
    const { keys, tenantKeys, withinTenantKey } = selection;
    const isKnown = { _id: { $in: keys } };
    // The engine takes longer to plan an alternative that no document meets.
    const selected =
      tenantKeys.length === 0 ? isKnown : { $or: [isKnown, { tenantKey: { $in: tenantKeys } }] };
    const condition = {
      ...(selection.includesAll ? {} : selected),
      ...(withinTenantKey === undefined ? {} : { tenantKey: withinTenantKey }),
    };
    return this.listActiveAfter(organizationId, condition, selection);
  }
}
