import type { JsonObject, TemplateFix } from '@gatehouse/contract';
import type { Api } from '../../data/api.js';
import { toValidated, type ValidatedDashboard } from '../../data/validationRun.js';
import type { AffectedDashboard } from '../../logic/issueCauses.js';
import { renamesOf, withRenames } from '../../logic/templateRenames.js';

/** A dashboard to repair: all certain renames, or those of its issues, if there are any. */
export type RepairTarget = Pick<AffectedDashboard, 'id' | 'title'> &
  Partial<Pick<AffectedDashboard, 'issues'>>;

/** What the repair of a dashboard changes, in the version that it was calculated for. */
export interface Repair {
  etag: string | null;
  /** Null if nothing changes. */
  template: JsonObject | null;
  fixes: readonly TemplateFix[];
}

/** A dashboard whose repair failed. */
interface RepairFailure {
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
 * Calculates the repair of a saved dashboard. It is read before the renames are calculated, so that
 * a change in between is never overwritten.
 */
export async function calculateRepair(
  api: Api,
  { id, issues }: RepairTarget,
  signal: AbortSignal,
): Promise<Repair> {
  const { data, etag } = await api.withResponse.getDashboard({ id }, { signal });
  const { fixes } = await api.fixDashboard({ dashboardId: id }, { signal });
  const chosen = issues === undefined ? fixes : renamesOf(fixes, issues);
  const { template } = data.dashboard;
  if (template === null || chosen.length === 0) return { etag, template: null, fixes: [] };
  return { etag, template: withRenames(template, chosen), fixes: chosen };
}

async function save(
  api: Api,
  { id }: RepairTarget,
  { repair: { etag, template }, message }: { repair: Repair; message: string },
): Promise<ValidatedDashboard | null> {
  if (template === null) return null;
  const change = { id, template, ...(message === '' ? {} : { commitMessage: message }) };
  await api.updateDashboard(change, etag === null ? {} : { ifMatch: etag });
  return toValidated(
    await api.validateDashboard({ dashboardId: id, options: { includeAvailableColumns: false } }),
  );
}

interface Repairs {
  targets: readonly RepairTarget[];
  commitMessage: string;
  signal: AbortSignal;
  /** The repair of a target: the one that was previewed, if it was. */
  repairOf(target: RepairTarget): Promise<Repair>;
  onRepaired(result: ValidatedDashboard): void;
  onProgress(progress: RepairProgress): void;
}

/** Repairs dashboards, a few at a time. One that fails does not prevent the others. */
export async function repairAll(api: Api, repairs: Repairs): Promise<RepairProgress> {
  const { targets, commitMessage: message, signal, repairOf, onRepaired, onProgress } = repairs;
  const waiting = [...targets];
  let progress = NO_PROGRESS;
  const report = (change: Partial<RepairProgress>) => {
    progress = { ...progress, ...change, done: progress.done + 1 };
    onProgress(progress);
  };
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined && !signal.aborted; next = waiting.shift()) {
      const { id, title } = next;
      try {
        const result = await save(api, next, { repair: await repairOf(next), message });
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
