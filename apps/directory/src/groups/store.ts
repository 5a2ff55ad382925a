import type { GroupType } from '@gatehouse/contract';
import { containing, type Current, type LimitsOf, type Page, type ReadLimits } from '@gatehouse/service';
import type { Db } from 'mongodb';
import type { GroupDocument } from '../records/documents.js';
import { groupTerms, TERM_SOURCES } from '../records/terms.js';
import type { Found } from '../records/totals.js';
import { ListedStore } from '../records/store/listedStore.js';

/** Selects the groups of a list. */
export interface GroupFilter {
  searchFolded?: string | undefined;
  type?: GroupType | undefined;
  tenantId?: string | undefined;
  /** The only tenant whose groups the caller may see; null for all groups. */
  withinTenantKey: string | null;
}

export interface GroupPage extends Page {
  sort: 'name' | 'created' | 'members';
  order: 'asc' | 'desc';
}

const SORTS = {
  name: { by: 'nameFolded', hint: 'byName' },
  created: { by: 'createdAt', hint: 'byCreation' },
  members: { by: 'memberCount', hint: 'byMemberCount' },
} as const;

/** Groups without their members, which `GroupMemberStore` reads and writes. */
export class GroupStore extends ListedStore<GroupDocument> {
  constructor(database: Db, limitsOf: LimitsOf, readLimits?: ReadLimits) {
    const kind = {
      collection: 'groups',
      quota: 'groups',
      omitted: ['members', 'parts'],
      sources: TERM_SOURCES.group,
      termsOf: groupTerms,
      readLimits,
    } as const;
    super(database, limitsOf, kind);
  }

  async get(organizationId: string, id: string): Promise<GroupDocument> {
    return this.getByKey(organizationId, id);
  }

  page(
    organizationId: string,
    filter: GroupFilter,
    { sort, order, ...page }: GroupPage,
  ): Promise<Found<GroupDocument>> {
    const { searchFolded, type, tenantId, withinTenantKey } = filter;
    const tenantKey = withinTenantKey ?? undefined;
    const fields = { type, tenantId, tenantKey };
    const conditions = {
      ...(searchFolded === undefined ? {} : { nameFolded: containing(searchFolded) }),
      ...(type === undefined ? {} : { type }),
      ...(tenantId === undefined ? {} : { tenantId }),
      ...(tenantKey === undefined ? {} : { tenantKey }),
    };
    const { by, hint } = SORTS[sort];
    const listed = {
      part: { condition: {}, hint },
      countHint: SORTS.name.hint,
      conditions,
      terms: { fields, search: searchFolded },
    };
    const direction = order === 'asc' ? 1 : -1;
    return this.findListed(organizationId, listed, { ...page, by, direction });
  }

  /** The groups of a tenant. */
  listOf(organizationId: string, tenantKey: string): Promise<GroupDocument[]> {
    return this.findMany(organizationId, { tenantKey });
  }

  /**
   * The ids of the members of a group as it was read, for the event of its deletion: of a very large group
   * only those that joined last, because an event has a largest size.
   */
  async listUserIds(organizationId: string, current: Current): Promise<string[]> {
    const found = await this.findOne(organizationId, { _id: current._id }, { 'members.userId': 1 });
    return (found?.members ?? []).map((member) => member.userId);
  }
}
