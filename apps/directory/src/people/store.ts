import type { UserRole } from '@gatehouse/contract';
import { containing, type Found, type LimitsOf, orNotFound, type Page } from '@gatehouse/service';
import type { Db, Document } from 'mongodb';
import type { OrgUserDocument, TenantUserDocument, UserDocument } from '../records/documents.js';
import { OrganizationRecordStore } from '../records/store/recordStore.js';

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

/** The store of one kind of user: org users or tenant users. */
abstract class UserStore<T extends UserDocument> extends OrganizationRecordStore<T> {
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

  /** One page by name, and the number of matches. With a limit of 0, only the number. */
  page(organizationId: string, filter: UserFilter, page: Page): Promise<Found<T>> {
    const { searchFolded, ids, isActive, withinTenantKey, tenantId } = filter;
    const condition = {
      ...(searchFolded === undefined ? {} : { searchTexts: containing(searchFolded) }),
      ...(ids === undefined ? {} : { id: { $in: ids } }),
      ...(isActive === undefined ? {} : { isActive }),
      ...(typeof withinTenantKey === 'string' ? { tenantKey: withinTenantKey } : {}),
      ...(tenantId === undefined ? {} : { tenantId }),
    };
    return this.findPage(organizationId, condition, page);
  }

  /** Up to `limit` active people that match a condition, by id, starting after `afterId`. */
  protected async listActiveAfter(
    organizationId: string,
    condition: Document,
    { afterId, limit }: { afterId?: string | undefined; limit: number },
  ): Promise<T[]> {
    const active = { isActive: true, id: { $gt: afterId ?? '' }, ...condition };
    return this.findMany(organizationId, active, { sort: { id: 1 }, limit });
  }
}

/** Selects people by key, and one page of them. */
export interface Selection {
  keys: readonly string[];
  afterId?: string | undefined;
  limit: number;
}

export class OrgUserStore extends UserStore<OrgUserDocument> {
  constructor(database: Db, limitsOf: LimitsOf) {
    super(database, limitsOf, { collection: 'orgUsers', quota: 'org users' });
  }

  findByEmail(organizationId: string, emailFolded: string): Promise<OrgUserDocument | null> {
    return this.findOne(organizationId, { emailFolded });
  }

  /** The selected active org users, by id. */
  listSelected(
    organizationId: string,
    selection: Selection & { includesAll: boolean },
  ): Promise<OrgUserDocument[]> {
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

export class TenantUserStore extends UserStore<TenantUserDocument> {
  constructor(database: Db, limitsOf: LimitsOf) {
    super(database, limitsOf, { collection: 'tenantUsers', quota: 'tenant users' });
  }

  findByEmail(
    organizationId: string,
    tenantKey: string,
    emailFolded: string,
  ): Promise<TenantUserDocument | null> {
    return this.findOne(organizationId, { tenantKey, emailFolded });
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
  ): Promise<TenantUserDocument[]> {
    const { keys, tenantKeys, withinTenantKey } = selection;
    const condition = {
      ...(selection.includesAll ? {} : { $or: [{ _id: { $in: keys } }, { tenantKey: { $in: tenantKeys } }] }),
      ...(withinTenantKey === undefined ? {} : { tenantKey: withinTenantKey }),
    };
    return this.listActiveAfter(organizationId, condition, selection);
  }
}
