import type { access } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import { applyCommitSetting, type CommitSettings } from './settings.js';

/** The handlers of commit settings. Commits are part of saving a dashboard. */
export function createCommitProcedures(
  settings: CommitSettings,
): Pick<Handlers<(typeof access)['procedures']>, 'commitSettings'> {
  return {
    commitSettings: { keep: (input, context) => applyCommitSetting(settings, input, context) },
  };
}
