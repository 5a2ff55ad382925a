import type { Api } from '../../data/api.js';
import { toValidated, type ValidatedDashboard } from '../../data/validationRun.js';

/** A dashboard whose repair failed. */
export interface RepairFailure {
  id: string;
  title: string;
  error: unknown;
}

/** How far the repair of many dashboards is. */
export interface RepairProgress {
  done: number;
  repaired: number;
  /** Dashboards without a certain repair, which stay as they are. */
  unchanged: number;
  failures: readonly RepairFailure[];
}

export const NO_PROGRESS: RepairProgress = { done: 0, repaired: 0, unchanged: 0, failures: [] };
const CONCURRENT = 4;

/**
 * Repairs a saved dashboard. The entity tag is read before the repair is calculated, so that a change in
 * between is never overwritten.
 *
 * @returns its result after the repair; null if no certain repair exists
 */
async function repairOne(api: Api, id: string, message: string): Promise<ValidatedDashboard | null> {
  const { etag } = await api.withResponse.getDashboard({ id });
  const { template, patch, result } = await api.fixDashboard({ dashboardId: id });
  if (template === null || patch.length === 0) return null;
  const change = { id, template, ...(message === '' ? {} : { commitMessage: message }) };
  await api.updateDashboard(change, etag === null ? {} : { ifMatch: etag });
  return toValidated(result);
}

interface Repair {
  dashboards: readonly { id: string; title: string }[];
  commitMessage: string;
  signal: AbortSignal;
  onRepaired(result: ValidatedDashboard): void;
  onProgress(progress: RepairProgress): void;
}

/** Repairs dashboards, a few at a time. One that fails does not prevent the others. */
export async function repairAll(api: Api, repair: Repair): Promise<RepairProgress> {
  const { dashboards, commitMessage, signal, onRepaired, onProgress } = repair;
  const waiting = [...dashboards];
  let progress = NO_PROGRESS;
  const report = (change: Partial<RepairProgress>) => {
    progress = { ...progress, ...change, done: progress.done + 1 };
    onProgress(progress);
  };
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
      const { id, title } = next;
      try {
        const result = await repairOne(api, id, commitMessage);
        if (result === null) report({ unchanged: progress.unchanged + 1 });
        else {
          onRepaired({ ...result, id, title });
          report({ repaired: progress.repaired + 1 });
        }
      } catch (error) {
        report({ failures: [...progress.failures, { id, title, error }] });
      }
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
  return progress;
}
