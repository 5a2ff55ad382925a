import { useSyncExternalStore } from 'react';
import type { ValidationIssue } from '@gatehouse/contract';
import { useSession } from '../session/SessionContext.js';
import { useApi, type Api } from './api.js';

/** The result of one dashboard, as far as it is shown. */
export interface ValidatedDashboard {
  id: string;
  title: string;
  issues: readonly ValidationIssue[];
  /** Why it could not be validated; null if it was. */
  failure: string | null;
}

/** The validation of all dashboards of a project in this browser session. */
export interface ValidationRun {
  status: 'none' | 'running' | 'stopped' | 'completed' | 'failed';
  done: number;
  /** Null until the first progress. */
  total: number | null;
  /** Milliseconds since 1970. */
  startedAt: number;
  endedAt: number | null;
  results: ReadonlyMap<string, ValidatedDashboard>;
  error: unknown;
}

const NONE: ValidationRun = {
  status: 'none',
  done: 0,
  total: null,
  startedAt: 0,
  endedAt: null,
  results: new Map(),
  error: null,
};
/** How often the screens are drawn again while results arrive. */
const REFRESH_MS = 250;

const runs = new Map<string, ValidationRun>();
const controllers = new Map<string, AbortController>();
const listeners = new Set<() => void>();

function put(projectId: string, run: ValidationRun): void {
  runs.set(projectId, run);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

async function runAll(api: Api, projectId: string): Promise<void> {
  const controller = new AbortController();
  controllers.set(projectId, controller);
  const results = new Map<string, ValidatedDashboard>();
  let run: ValidationRun = { ...NONE, status: 'running', startedAt: Date.now() };
  let shownAt = 0;
  const show = (isNow: boolean) => {
    if (!isNow && Date.now() - shownAt < REFRESH_MS) return;
    shownAt = Date.now();
    put(projectId, { ...run, results: new Map(results) });
  };
  show(true);
  try {
    const lines = api.stream.validateAllDashboards(
      { options: { includeAvailableColumns: false } },
      { signal: controller.signal },
    );
    for await (const line of lines) {
      if (line.type === 'progress') run = { ...run, done: line.done, total: line.total };
      if (line.type === 'summary') run = { ...run, done: line.totalDashboards, total: line.totalDashboards };
      if (line.type === 'result') {
        const validated = toValidated(line.result);
        results.set(validated.id, validated);
        run = { ...run, done: Math.max(run.done, results.size) };
      }
      show(false);
    }
    run = { ...run, status: 'completed' };
  } catch (error) {
    run = controller.signal.aborted ? { ...run, status: 'stopped' } : { ...run, status: 'failed', error };
  }
  run = { ...run, endedAt: Date.now() };
  show(true);
}

type Line = { dashboardId: string; error: string } | ResultLine;
interface ResultLine {
  dashboardId: string | null;
  dashboardTitle: string | null;
  issues: readonly ValidationIssue[];
}

/** The part of a result that is kept: the board may hold tens of thousands. */
export function toValidated(result: Line): ValidatedDashboard {
  if ('error' in result)
    return { id: result.dashboardId, title: result.dashboardId, issues: [], failure: result.error };
  const { dashboardId, dashboardTitle, issues } = result;
  const id = dashboardId ?? '';
  return { id, title: dashboardTitle ?? id, issues, failure: null };
}

/** The last validation of the project in this browser session, and what can be done with it. */
export function useValidationRun() {
  const api = useApi();
  const { project } = useSession();
  const run = useSyncExternalStore(subscribe, () => runs.get(project.id) ?? NONE);
  return {
    run,
    start: () => {
      if (runs.get(project.id)?.status !== 'running') void runAll(api, project.id);
    },
    /** Ends the validation and keeps the results so far. */
    stop: () => controllers.get(project.id)?.abort(),
    /** Replaces the result of a dashboard that was validated again. */
    replace: (result: ValidatedDashboard) => {
      const current = runs.get(project.id);
      if (!current?.results.has(result.id)) return;
      put(project.id, { ...current, results: new Map(current.results).set(result.id, result) });
    },
  };
}
