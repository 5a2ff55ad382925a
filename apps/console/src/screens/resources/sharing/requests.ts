import type { ShareListEntry } from '@gatehouse/contract';
import type { Api } from '../../../data/api.js';
import { byCursor } from '../../../data/listSources.js';
import type { ListSource } from '../../../data/useList.js';
import { entryOf, flattenShares, type ShareEntry } from '../../../logic/shares.js';
import type { Kind } from '../kind.js';

const PART = 100;

/** A grant, as it is requested. */
export type Grant = ShareEntry & { role: ShareListEntry['role']; expiresAt?: string | null };

/** The shares of a dashboard or visual, the oldest first. */
export function sharesOf({ kind }: Kind, id: string): ListSource<ShareListEntry> {
  return {
    key: ['shares', id],
    load: async (api, cursor, signal) => {
      const input = { id, limit: PART, cursor };
      const {
        owner: _owner,
        nextCursor,
        ...lists
      } = kind === 'dashboard'
        ? await api.listDashboardShares(input, { signal })
        : await api.listVisualShares(input, { signal });
      return byCursor(flattenShares(lists), nextCursor);
    },
  };
}

/** Grants shares. */
export async function grant(api: Api, { kind }: Kind, input: { id: string; shares: Grant[] }): Promise<void> {
  if (kind === 'dashboard') await api.shareDashboard(input);
  else await api.shareVisual(input);
}

/** Revokes shares. */
export async function revoke(
  api: Api,
  { kind }: Kind,
  input: { id: string; shares: ShareEntry[] },
): Promise<void> {
  if (kind === 'dashboard') await api.revokeDashboardShares(input);
  else await api.revokeVisualShares(input);
}

/** The request that grants a share again, as it was. */
export function grantOf({ scope, target, role, expiresAt }: ShareListEntry): Grant {
  return { ...entryOf(scope, target?.id ?? null), role, expiresAt };
}
