import { WriteConflict } from '@gatehouse/service';
import { writeCommitText, type Ident } from '../logic/commitText.js';
import { chooseStep, mayBeRepeated, type FileState } from '../logic/commitStep.js';
import {
  branchRef,
  changeRefs,
  readLines,
  readRefs,
  type BareRepository,
  type RefChange,
} from './bareRepository.js';
import { findCommit } from './history.js';
import {
  blobNameOf,
  COMMITTER,
  FILE_MODE,
  importCommits,
  type FileChange,
  type NewCommit,
} from './importCommits.js';
import { withRepositoryLock } from './repositoryLock.js';

/** A dashboard to commit. */
export interface DashboardCommit {
  dashboardId: string;
  /** The path and the content of its file. */
  path: string;
  file: string;
  version: number;
  message: string;
  author: Ident;
  /** An idempotency key: only one commit has it. */
  key: string;
  now: Date;
}

/** `isNew` is false when the content was unchanged. Then `sha` is the commit that last changed the file. */
export interface CommittedDashboard {
  sha: string | null;
  isNew: boolean;
}

/**
 * The ref of the highest committed version of a dashboard. It changes in one transaction with the branch, so
 * that the later version is on top when two processes commit one dashboard concurrently. It is never pushed.
 */
const versionRef = (dashboardId: string) => `refs/gatehouse/versions/${dashboardId}`;
const versionText = (version: number) => `${version}\n`;

/** The state of a dashboard at the tip of the branch, updated while commits are planned. */
interface DashboardState extends FileState {
  /** The present object of its version ref. */
  versionObject: string | null;
  firstVersion: number | null;
}

/** The planned outcome of a request: a new commit by its index, an earlier commit, or no change. */
type Planned = { index: number } | { earlier: string } | 'unchanged';

/** The commits of a batch of requests, in order. */
class Plan {
  readonly commits: NewCommit[] = [];
  readonly states: ReadonlyMap<string, DashboardState>;
  readonly #indexOfKey = new Map<string, number>();

  constructor(states: ReadonlyMap<string, DashboardState>) {
    this.states = states;
  }

  indexOf(key: string): number | undefined {
    return this.#indexOfKey.get(key);
  }

  add(commit: DashboardCommit): Planned {
    const state = this.stateOf(commit.dashboardId);
    const next = { blob: blobNameOf(commit.file), version: commit.version };
    const step = chooseStep(state, next);
    const former = { ...state };
    if (step === 'commit' || step === 'record') Object.assign(state, next);
    if (step === 'skip' || step === 'record') return 'unchanged';
    const index = this.commits.length;
    this.#indexOfKey.set(commit.key, index);
    this.#addCommit(commit);
    if (step === 'commitBeneath') this.#restoreLater(commit, former);
    return { index };
  }

  stateOf(dashboardId: string): DashboardState {
    const state = this.states.get(dashboardId);
    if (state === undefined) throw new Error(`Nothing was read of ${dashboardId}`);
    return state;
  }

  #addCommit({ path, file, version, message, key, author, now }: DashboardCommit): void {
    const text = writeCommitText(message, { dashboardVersion: version, key });
    const change: FileChange = { path, mode: FILE_MODE, content: { text: file } };
    this.commits.push({ author: { ...author, at: now }, committedAt: now, text, changes: [change] });
  }

  /** Commits the later version again, on top of the one that arrived late. */
  #restoreLater({ path, version, key, now }: DashboardCommit, { blob, version: kept }: FileState): void {
    const message = `Keep version ${kept}\n\nVersion ${version}, which is older, was committed after it.`;
    const text = writeCommitText(message, { dashboardVersion: kept ?? 0, key: `${key}-kept` });
    const change: FileChange = { path, mode: FILE_MODE, content: blob === null ? null : { blob } };
    this.commits.push({ author: { ...COMMITTER, at: now }, committedAt: now, text, changes: [change] });
  }
}

async function readStates(
  repository: BareRepository,
  ref: string,
  commits: readonly DashboardCommit[],
): Promise<{ tip: string | null; states: Map<string, DashboardState> }> {
  const paths = new Map(commits.map(({ dashboardId, path }) => [dashboardId, path]));
  const ids = [...paths.keys()];
  const files = ids.map((id) => `${ref}:${paths.get(id)}`);
  const [tip = null, ...found] = await readRefs(repository, [ref, ...files, ...ids.map(versionRef)]);
  const versionObjects = found.slice(ids.length);
  const lines = await readLines(
    repository,
    versionObjects.filter((versionObject) => versionObject !== null),
  );
  const states = ids.map((id, index) => {
    const versionObject = versionObjects[index] ?? null;
    const version = versionObject === null ? null : Number(lines.get(versionObject));
    return [id, { blob: found[index] ?? null, version, firstVersion: version, versionObject }] as const;
  });
  return { tip, states: new Map(states) };
}

/** Finds an earlier commit with the same key, in the plan or in the repository. */
async function findRepeated(
  repository: BareRepository,
  { plan, ref }: { plan: Plan; ref: string },
  commit: DashboardCommit,
): Promise<Planned | null> {
  const index = plan.indexOf(commit.key);
  if (index !== undefined) return { index };
  const { firstVersion, blob } = plan.stateOf(commit.dashboardId);
  if (blob === null || !mayBeRepeated(firstVersion, commit)) return null;
  const found = await findCommit(repository, { from: ref, path: commit.path, key: commit.key });
  return found && { earlier: found.sha };
}

function versionChanges({ states }: Plan): { changes: RefChange[]; texts: string[] } {
  const changes: RefChange[] = [];
  const texts: string[] = [];
  for (const [id, { versionObject, version, firstVersion }] of states) {
    const text = version === null || version === firstVersion ? null : versionText(version);
    if (text !== null) texts.push(text);
    changes.push({
      ref: versionRef(id),
      old: versionObject,
      new: text === null ? versionObject : blobNameOf(text),
    });
  }
  return { changes, texts };
}

/** Creates the planned commits. Throws WriteConflict, and changes no ref, if another process changed one. */
async function commitPlan(
  repository: BareRepository,
  { plan, ref, tip }: { plan: Plan; ref: string; tip: string | null },
): Promise<string[]> {
  const { changes, texts } = versionChanges(plan);
  const isEmpty = plan.commits.length + texts.length === 0;
  const { names, holder } = isEmpty
    ? { names: [], holder: null }
    : await importCommits(repository, { base: tip, commits: plan.commits, texts });
  // Version refs come first: after a crash in between, a recorded version still lacks its commit.
  const branch = { ref, old: tip, new: names.at(-1) ?? tip };
  if (await changeRefs(repository, [...changes, branch, ...(holder === null ? [] : [holder])])) return names;
  if (holder !== null) await changeRefs(repository, [holder]);
  throw new WriteConflict();
}

/** As `commitDashboards`, but without the commits of unchanged dashboards. */
async function planAndCommit(
  repository: BareRepository,
  ref: string,
  commits: readonly DashboardCommit[],
): Promise<CommittedDashboard[]> {
  const { tip, states } = await readStates(repository, ref, commits);
  const plan = new Plan(states);
  const planned = new Map<DashboardCommit, Planned>();
  // In order of versions, so that few are late.
  for (const commit of commits.toSorted((a, b) => a.version - b.version))
    planned.set(commit, (await findRepeated(repository, { plan, ref }, commit)) ?? plan.add(commit));
  const names = await commitPlan(repository, { plan, ref, tip });
  return commits.map((commit) => {
    const found = planned.get(commit) ?? 'unchanged';
    if (found === 'unchanged') return { sha: null, isNew: false };
    return { sha: 'index' in found ? (names[found.index] ?? null) : found.earlier, isNew: true };
  });
}

/**
 * Commits dashboards to a branch of a local repository, one commit each. Returns the outcomes in order.
 * Throws WriteConflict, and commits nothing, when another process changed the branch meanwhile.
 */
export async function commitDashboards(
  repository: BareRepository,
  branch: string,
  commits: readonly DashboardCommit[],
): Promise<CommittedDashboard[]> {
  const ref = branchRef(branch);
  const results = await withRepositoryLock(repository, () => planAndCommit(repository, ref, commits));
  for (const [index, { isNew }] of results.entries()) {
    const path = commits[index]?.path ?? '';
    if (!isNew)
      results[index] = { sha: (await findCommit(repository, { from: ref, path }))?.sha ?? null, isNew };
  }
  return results;
}
