import type { Document } from 'mongodb';

/** What a list shows, and what access depends on but for the shares. The project is known to whoever asks. */
export const SEEN: Document = {
  tenantId: 1,
  title: 1,
  description: 1,
  isPrivate: 1,
  isDataApp: 1,
  tags: 1,
  ownerId: 1,
  ownerKey: 1,
  ownerType: 1,
  ownerTenantKey: 1,
  createdBy: 1,
  createdAt: 1,
  updatedAt: 1,
  version: 1,
};

/** A resource with all of its shares. */
export const HEADER: Document = {
  ...SEEN,
  organizationId: 1,
  projectId: 1,
  shares: 1,
  linkedVisualIds: 1,
  copiedBy: 1,
  replacedBy: 1,
  revision: 1,
};
