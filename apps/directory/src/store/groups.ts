import type { GroupType } from '@gatehouse/contract';
import type { Db, Document } from 'mongodb';
import type { GroupDocument } from './documents.js';
import { containing, orNotFound, RecordStore, type Current, type Found, type Page } from './recordStore.js';

/** Which groups a list holds. */
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

const SORT_FIELD = { name: 'nameFolded', created: 'createdAt', members: 'memberCount' } as const;

/** Groups without their members: those are in `groupMembers.ts`. */
export class GroupStore extends RecordStore<GroupDocument> {
  protected override readonly projection: Document = { outbox: 0, members: 0 };

  constructor(database: Db) {
    super(database, 'groups');
  }

  async get(organizationId: string, id: string): Promise<GroupDocument> {
    return orNotFound(await this.findByKey(organizationId, id));
  }

  page(
    organizationId: string,
    filter: GroupFilter,
    { sort, order, ...page }: GroupPage,
  ): Promise<Found<GroupDocument>> {
    const { searchFolded, type, tenantId, withinTenantKey } = filter;
    const condition = {
      ...(searchFolded === undefined ? {} : { nameFolded: containing(searchFolded) }),
      ...(type === undefined ? {} : { type }),
      ...(tenantId === undefined ? {} : { tenantId }),
      ...(withinTenantKey === null ? {} : { tenantKey: withinTenantKey }),
    };
    const direction = order === 'asc' ? 1 : -1;
    return this.pageLive(organizationId, condition, {
      ...page,
      sort: { [SORT_FIELD[sort]]: direction, _id: direction },
    });
  }

  /** The groups of a tenant. */
  listOf(organizationId: string, tenantKey: string): Promise<GroupDocument[]> {
    return this.listLive(organizationId, { tenantKey });
  }

  /** The ids of everyone in a group as it was read, for the event of its deletion. */
  async listUserIds(organizationId: string, current: Current): Promise<string[]> {
    const filter = this.filterOf(organizationId, { _id: current._id });
    const found = await this.collection.findOne(filter, { projection: { 'members.userId': 1 } });
    return (found?.members ?? []).map((member) => member.userId);
  }
}
