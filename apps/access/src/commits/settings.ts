import type { CommitOnSave } from '@gatehouse/contract';
import { countLookup, type CallContext } from '@gatehouse/service';
import { LRUCache } from 'lru-cache';
import { requireAdmin, requireUser } from '../decisions/authorizeCaller.js';
import type { CommitSetting, CommitSettingStore } from './store.js';

const NONE: CommitSetting = { commitOnSave: 'off', version: 0 };
const PROJECTS_MAX = 10_000;
/** Short, because an event may reach this process before another process has stored the setting. */
const CACHE_MS = 4000;

/**
 * The commit settings of the projects, stored in this service so that saving calls no other service for them.
 */
export interface CommitSettings {
  find(projectId: string): Promise<CommitOnSave>;
  keep(projectId: string, setting: CommitSetting): Promise<void>;
  /** Caches a setting that another process stores. */
  notice(projectId: string, setting: CommitSetting): void;
  forgetAll(): void;
}

/** Adds a cache to the store of the settings. */
export function createCommitSettings(store: CommitSettingStore): CommitSettings {
  const cached = new LRUCache<string, CommitSetting>({ max: PROJECTS_MAX, ttl: CACHE_MS });
  const notice = (projectId: string, setting: CommitSetting): CommitSetting => {
    const known = cached.peek(projectId, { allowStale: true });
    const latest = known !== undefined && known.version > setting.version ? known : setting;
    cached.set(projectId, latest);
    return latest;
  };
  return {
    notice,
    forgetAll: () => cached.clear(),
    async find(projectId) {
      const known = cached.get(projectId);
      countLookup('commit_settings', known !== undefined);
      const { commitOnSave } = known ?? notice(projectId, (await store.find(projectId)) ?? NONE);
      return commitOnSave;
    },
    async keep(projectId, setting) {
      await store.keep(projectId, setting);
      notice(projectId, setting);
    },
  };
}

/**
 * Stores a setting of the caller's project that the caller has just changed. Throws FORBIDDEN unless it is an
 * ADMIN.
 */
export async function applyCommitSetting(
  settings: CommitSettings,
  setting: CommitSetting,
  context: CallContext,
): Promise<Record<string, never>> {
  const requester = requireUser(context);
  requireAdmin(requester);
  await settings.keep(requester.projectId, setting);
  return {};
}
