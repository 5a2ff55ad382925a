import { SHARE_TARGET_FIELD, type ShareRecord } from '@gatehouse/contract';
import type { Share } from '../logic/shares.js';
import type { ResourceKind } from './resourceKind.js';

/** A share as callers are told of it. */
export function toShareRecord({ type }: ResourceKind, resourceId: string, share: Share): ShareRecord {
  const field = SHARE_TARGET_FIELD[share.scope];
  return {
    id: share.id,
    resourceId,
    resourceType: type,
    scope: share.scope,
    role: share.role,
    ...(field === null || share.targetId === null ? {} : { [field]: share.targetId }),
    createdAt: share.createdAt.toISOString(),
    createdBy: share.createdBy,
    expiresAt: share.expiresAt?.toISOString() ?? null,
  };
}
