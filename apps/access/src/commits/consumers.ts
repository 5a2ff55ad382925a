import { EVENT_CATALOGUE, watchedEvents, type CloudEvent } from '@gatehouse/contract';
import { defineConsumer, type EventBus } from '@gatehouse/service';
import type { CommitSettings } from './settings.js';
import type { CommitSetting } from './store.js';

const UPDATED = 'management.version_control.updated.v1';
const REMOVED = 'management.version_control.removed.v1';

/** Returns the project and the setting of an event; null for other events. */
function readEvent({ type, data }: CloudEvent): { projectId: string; setting: CommitSetting } | null {
  if (type !== UPDATED && type !== REMOVED) return null;
  const { projectId, commitOnSave, version } = EVENT_CATALOGUE[type].parse(data);
  return { projectId, setting: { commitOnSave: type === REMOVED ? 'off' : commitOnSave, version } };
}

/** Stores the settings from the events of version control. */
export function createCommitSettingsConsumer(settings: CommitSettings) {
  return defineConsumer('access-commit-settings', async (event) => {
    const read = readEvent(event);
    if (read !== null) await settings.keep(read.projectId, read.setting);
  });
}

/**
 * Updates the cache of every process of this service without delay. The caller must stop the returned watch.
 */
export function watchCommitSettings(settings: CommitSettings, bus: EventBus) {
  const handle = (event: CloudEvent): void => {
    const read = readEvent(event);
    if (read !== null) settings.notice(read.projectId, read.setting);
  };
  return bus.watch(watchedEvents('access'), handle, () => settings.forgetAll());
}
