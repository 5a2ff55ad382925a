import { EVENT_CATALOGUE, type CloudEvent, type CommitOnSave } from '@gatehouse/contract';
import {
  countLookup,
  RecentMap,
  type CallContext,
  type DurableConsumer,
  type EventBus,
} from '@gatehouse/service';
import type { CommitSetting, CommitSettingStore } from '../store/commitSettings.js';
import { requireAdmin, requirePerson } from './asker.js';

const UPDATED = 'management.version_control.updated.v1';
const REMOVED = 'management.version_control.removed.v1';
const TYPES: string[] = [UPDATED, REMOVED];
const NONE: CommitSetting = { commitOnSave: 'off', version: 0 };
const REMEMBERED_CHARACTERS = 1_000_000;
/** An event may reach a process before what another one keeps of it does. */
const REMEMBERED_MS = 4000;

/** Whether the projects commit what is saved: known here, so that saving asks no other service for it. */
export interface CommitSettings {
  find(projectId: string): Promise<CommitOnSave>;
  keep(projectId: string, setting: CommitSetting): Promise<void>;
  /** Takes note of what another process keeps. */
  notice(projectId: string, setting: CommitSetting): void;
  forgetAll(): void;
}

export function createCommitSettings(store: CommitSettingStore): CommitSettings {
  const remembered = new RecentMap<CommitSetting & { until: number }>(REMEMBERED_CHARACTERS);
  const notice = (projectId: string, setting: CommitSetting): CommitSetting => {
    const known = remembered.get(projectId);
    const latest = known !== undefined && known.version > setting.version ? known : setting;
    const { commitOnSave, version } = latest;
    remembered.set(projectId, { commitOnSave, version, until: performance.now() + REMEMBERED_MS });
    return latest;
  };
  return {
    notice,
    forgetAll: () => remembered.clear(),
    async find(projectId) {
      const known = remembered.get(projectId);
      const isFresh = known !== undefined && performance.now() < known.until;
      countLookup('commit_settings', isFresh);
      if (isFresh) return known.commitOnSave;
      return notice(projectId, (await store.find(projectId)) ?? NONE).commitOnSave;
    },
    async keep(projectId, setting) {
      await store.keep(projectId, setting);
      notice(projectId, setting);
    },
  };
}

/** The project that an event is about and the setting it tells of; null for other events. */
function readEvent({ type, data }: CloudEvent): { projectId: string; setting: CommitSetting } | null {
  if (type !== UPDATED && type !== REMOVED) return null;
  const { projectId, commitOnSave, version } = EVENT_CATALOGUE[type].parse(data);
  return { projectId, setting: { commitOnSave: type === REMOVED ? 'off' : commitOnSave, version } };
}

/** Keeps what the events of version control tell. */
export function createCommitSettingsConsumer(settings: CommitSettings): DurableConsumer {
  return {
    name: 'access-commit-settings',
    types: TYPES,
    async handle(event) {
      const told = readEvent(event);
      if (told !== null) await settings.keep(told.projectId, told.setting);
    },
  };
}

/** Lets every process of this service know at once. Gives the watch, to be stopped. */
export function watchCommitSettings(settings: CommitSettings, bus: EventBus) {
  const handle = (event: CloudEvent): void => {
    const told = readEvent(event);
    if (told !== null) settings.notice(told.projectId, told.setting);
  };
  return bus.watch(TYPES, handle, () => settings.forgetAll());
}

/** Keeps the setting of the caller's project, which the caller has just changed. Throws FORBIDDEN for all but an ADMIN. */
export async function applyCommitSetting(
  settings: CommitSettings,
  setting: CommitSetting,
  context: CallContext,
): Promise<Record<string, never>> {
  const person = requirePerson(context);
  requireAdmin(person);
  await settings.keep(person.projectId, setting);
  return {};
}
