import type { NewResource } from '../resources/store/writes.js';

const CREATED_AT = new Date('2026-03-01T12:00:00Z');

/** The fields of a private resource of an org user, without shares. */
export function newResource(_id: string, fields: Partial<NewResource> = {}): NewResource {
  return {
    _id,
    organizationId: 'o_one',
    tenantId: null,
    title: 'Title',
    description: '',
    isPrivate: true,
    tags: [],
    ownerId: 'ou_a',
    ownerKey: 'u:a',
    ownerType: 'organization',
    ownerTenantKey: null,
    createdBy: 'ou_a',
    createdAt: CREATED_AT,
    updatedAt: CREATED_AT,
    version: 1,
    shares: [],
    body: '{"a":1}',
    ...fields,
  };
}
