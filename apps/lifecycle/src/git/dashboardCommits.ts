import { writeCommitText, type Ident } from '../logic/versionControl/commitText.js';
import { judgeCommit, mayBeRepeated, type FileState } from '../logic/versionControl/judgeCommit.js';
import {
  branchRef,
  changeRefs,
  readLines,
  readRefs,
  type BareRepository,
  type RefChange,
} from './bareRepository.js';
import { inTurn } from './courtesy.js';
import { findCommit } from './history.js';
import {
  blobNameOf,
  COMMITTER,
  FILE_MODE,
  importCommits,
  type FileChange,
  type NewCommit,
} from './importCommits.js';

/** A dashboard to be committed. */
export interface DashboardCommit {
  dashboardId: string;
  /** Its file, and what the file is to hold. */
  path: string;
  file: string;
  version: number;
  message: string;
  author: Ident;
  /** A commit with the same key is made once. */
  key: string;
  now: Date;
}

/** `isNew` is false where the repository has it already; then `sha` is the commit that brought it. */
export interface CommittedDashboard {
  sha: string | null;
  isNew: boolean;
}

/**
 * Names the highest version of a dashboard that came to this repository, and changes together with the branch: so that of two
 * processes that commit one dashboard at the same time the later version is on top. It is never pushed.
 */
const versionRef = (dashboardId: string) => `refs/gatehouse/versions/${dashboardId}`;
const versionText = (version: number) => `${version}\n`;

/** What is at the tip of a dashboard, and what becomes of it while commits are planned. */
interface DashboardState extends FileState {
  /** The object that its version ref names now. */
  mark: string | null;
  firstVersion: number | null;
}

/** What a request comes to: a commit of the plan by its place, one that was made before, or what the tip has. */
type Planned = { place: number } | { earlier: string } | 'unchanged';

/** The commits that a batch of requests needs, in the order in which they are made. */
class Plan {
  readonly commits: NewCommit[] = [];
  readonly states: ReadonlyMap<string, DashboardState>;
  readonly #placeOfKey = new Map<string, number>();

  constructor(states: ReadonlyMap<string, DashboardState>) {
    this.states = states;
  }

  placeOf(key: string): number | undefined {
    return this.#placeOfKey.get(key);
  }

  add(commit: DashboardCommit): Planned {
    const state = this.stateOf(commit.dashboardId);
    const next = { blob: blobNameOf(commit.file), version: commit.version };
    const step = judgeCommit(state, next);
    const former = { ...state };
    if (step === 'commit' || step === 'note') Object.assign(state, next);
    if (step === 'leave' || step === 'note') return 'unchanged';
    const place = this.commits.length;
    this.#placeOfKey.set(commit.key, place);
    this.#make(commit);
    if (step === 'commitBeneath') this.#keep(commit, former);
    return { place };
  }

  stateOf(dashboardId: string): DashboardState {
    const state = this.states.get(dashboardId);
    if (state === undefined) throw new Error(`Nothing was read of ${dashboardId}`);
    return state;
  }

  #make({ path, file, version, message, key, author, now }: DashboardCommit): void {
    const text = writeCommitText(message, { dashboardVersion: version, key });
    const change: FileChange = { path, mode: FILE_MODE, content: { text: file } };
    this.commits.push({ author: { ...author, at: now }, committedAt: now, text, changes: [change] });
  }

  /** Puts the later version above the one that came late. */
  #keep({ path, version, key, now }: DashboardCommit, { blob, version: kept }: FileState): void {
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
  const marks = found.slice(ids.length);
  const lines = await readLines(
    repository,
    marks.filter((mark) => mark !== null),
  );
  const states = ids.map((id, index) => {
    const mark = marks[index] ?? null;
    const version = mark === null ? null : Number(lines.get(mark));
    return [id, { blob: found[index] ?? null, version, firstVersion: version, mark }] as const;
  });
  return { tip, states: new Map(states) };
}

/** The commit with the same key that was made before; null where none was. */
async function findRepeated(
  repository: BareRepository,
  { plan, ref }: { plan: Plan; ref: string },
  commit: DashboardCommit,
): Promise<Planned | null> {
  const place = plan.placeOf(commit.key);
  if (place !== undefined) return { place };
  const { firstVersion, blob } = plan.stateOf(commit.dashboardId);
  if (blob === null || !mayBeRepeated(firstVersion, commit)) return null;
  const found = await findCommit(repository, { from: ref, path: commit.path, key: commit.key });
  return found && { earlier: found.sha };
}

function versionChanges({ states }: Plan): { changes: RefChange[]; texts: string[] } {
  const changes: RefChange[] = [];
  const texts: string[] = [];
  for (const [id, { mark, version, firstVersion }] of states) {
    const text = version === null || version === firstVersion ? null : versionText(version);
    if (text !== null) texts.push(text);
    changes.push({ ref: versionRef(id), old: mark, new: text === null ? mark : blobNameOf(text) });
  }
  return { changes, texts };
}

/** Makes what is planned; null, and no ref changed, where somebody else has changed one meanwhile. */
async function carryOut(
  repository: BareRepository,
  { plan, ref, tip }: { plan: Plan; ref: string; tip: string | null },
): Promise<string[] | null> {
  const { changes, texts } = versionChanges(plan);
  const isNothing = plan.commits.length + texts.length === 0;
  const { names, holder } = isNothing
    ? { names: [], holder: null }
    : await importCommits(repository, { base: tip, commits: plan.commits, texts });
  // The versions come first: a crash in between leaves a version noted that is yet to be committed.
  const branch = { ref, old: tip, new: names.at(-1) ?? tip };
  if (await changeRefs(repository, [...changes, branch, ...(holder === null ? [] : [holder])])) return names;
  if (holder !== null) await changeRefs(repository, [holder]);
  return null;
}

/** As `commitDashboards`, but for the names of the commits that brought what was there before. */
async function planAndCommit(
  repository: BareRepository,
  ref: string,
  commits: readonly DashboardCommit[],
): Promise<CommittedDashboard[] | null> {
  const { tip, states } = await readStates(repository, ref, commits);
  const plan = new Plan(states);
  const planned = new Map<DashboardCommit, Planned>();
  // Earlier versions first: so that few come late.
  for (const commit of commits.toSorted((a, b) => a.version - b.version))
    planned.set(commit, (await findRepeated(repository, { plan, ref }, commit)) ?? plan.add(commit));
  const names = await carryOut(repository, { plan, ref, tip });
  if (names === null) return null;
  return commits.map((commit) => {
    const found = planned.get(commit) ?? 'unchanged';
    if (found === 'unchanged') return { sha: null, isNew: false };
    return { sha: 'place' in found ? (names[found.place] ?? null) : found.earlier, isNew: true };
  });
}

/**
 * Commits dashboards to a branch of a repository on this machine, each in a commit of its own. Gives what became of each, in
 * their order; null, and nothing committed, where somebody else has changed the branch meanwhile.
 */
export async function commitDashboards(
  repository: BareRepository,
  branch: string,
  commits: readonly DashboardCommit[],
): Promise<CommittedDashboard[] | null> {
  const ref = branchRef(branch);
  const results = await inTurn(repository, () => planAndCommit(repository, ref, commits));
  if (results === null) return null;
  for (const [index, { isNew }] of results.entries()) {
    const path = commits[index]?.path ?? '';
    if (!isNew)
      results[index] = { sha: (await findCommit(repository, { from: ref, path }))?.sha ?? null, isNew };
  }
  return results;
}
