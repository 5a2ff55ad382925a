import type { Migration } from '@gatehouse/contract';

type Status = Migration['status'];
type Step = Migration['steps'][number];

export const STATUS_TEXTS: Readonly<Record<Status, { text: string; color: string }>> = {
  planned: { text: 'Planned', color: 'gray' },
  running: { text: 'Running', color: 'blue' },
  completed: { text: 'Completed', color: 'teal' },
  failed: { text: 'Failed', color: 'red' },
  rolling_back: { text: 'Rolling back', color: 'yellow' },
  rolled_back: { text: 'Rolled back', color: 'gray' },
};

export const ACTION_TEXTS: Readonly<Record<Step['action'], string>> = {
  verify: 'Verify the references',
  createDomain: 'Copy the semantic domain',
  createDatamodel: 'Copy the data model',
  createVisual: 'Copy the visual',
  createDashboard: 'Create the dashboard',
  replaceDashboard: 'Replace the dashboard',
  commit: 'Commit',
};

export const STATE_TEXTS: Readonly<Record<Step['state'], string>> = {
  pending: 'Pending',
  done: 'Done',
  undone: 'Undone',
  kept: 'Kept',
};

/** The title of the migrated dashboard, which only a step has. */
export function titleOf({ steps, sourceDashboardId }: Migration): string {
  const step = steps.find(({ action }) => action === 'createDashboard' || action === 'replaceDashboard');
  return step?.title ?? sourceDashboardId;
}

/** Whether the migration still changes by itself. */
export function isUnderWay({ status }: Migration): boolean {
  return status === 'planned' || status === 'running' || status === 'rolling_back';
}
