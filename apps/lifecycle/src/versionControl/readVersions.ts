import {
  AppError,
  DashboardContent,
  invalidField,
  isPerson,
  type Dashboard,
  type DashboardVersion,
  type InputOf,
  type OutputOf,
  type Services,
} from '@gatehouse/contract';
import { runInSlices, type CallContext } from '@gatehouse/service';
import { commitUrlOf } from './commitDashboard.js';
import { branchRef, isAncestor, readBlob, readRefs, type BareRepository } from './git/bareRepository.js';
import { findCommit, readHistory, type Commit } from './git/history.js';
import { readUnpushed } from './git/remote.js';
import { readCommitText } from './logic/commitText.js';
import { fileOf, parseDashboardFile } from './logic/dashboardFile.js';
import { diffJson } from './logic/jsonPatch.js';
import { ownCommitUrl } from './logic/remoteUrl.js';
import { openBareRepository, type VersionControlDependencies } from './openLocalRepository.js';
import type { Repository } from './store.js';

type Procedures = Services['lifecycle']['procedures']['versionControl'];
type Input<V extends keyof Procedures> = InputOf<Procedures[V]>;
type Output<V extends keyof Procedures> = Promise<OutputOf<Procedures[V]>>;

const SHA = /^[0-9a-f]{40}$/;
/** The most unpushed commits that are recognized. Others get URLs of the remote before it has them. */
const UNPUSHED_MAX = 10_000;

/** A local repository with its settings. */
interface OpenRepository {
  publicUrl: string | undefined;
  repository: Repository;
  bare: BareRepository;
}

/** Reads the current dashboard. Throws NOT_FOUND, and FORBIDDEN unless the caller may edit it. */
async function requireEditor(
  { services }: VersionControlDependencies,
  id: string,
  context: CallContext,
): Promise<Dashboard> {
  if (!isPerson(context.principal)) throw new AppError('FORBIDDEN');
  const { dashboard } = await services.access.dashboards.get.query({ id }, { context });
  if (!dashboard.permissions.canEdit) throw new AppError('FORBIDDEN');
  return dashboard;
}

/** Opens the repository of the caller's project; null without a repository or without commits. */
async function openWithCommits(
  deps: VersionControlDependencies,
  { principal }: CallContext,
): Promise<OpenRepository | null> {
  const { organizationId, projectId } = principal;
  const repository = await deps.store.find(organizationId, projectId);
  if (repository === null || repository.isRemoved) return null;
  const bare = await openBareRepository(deps, repository);
  const [tip] = await readRefs(bare, [branchRef(repository.branch)]);
  return tip ? { publicUrl: deps.config.PUBLIC_URL, repository, bare } : null;
}

type Author = DashboardVersion['author'];

/**
 * Returns what the caller sees of an author of some commits. A tenant user sees, as in lists of shares, the
 * names of org users and of users of its tenant, and no address of another person. A commit does not show
 * which tenant its author belongs to, so the names are those that the directory has for the addresses now.
 */
async function readAuthors(
  { services }: VersionControlDependencies,
  commits: readonly Commit[],
  context: CallContext,
): Promise<(author: Author) => Author> {
  const { principal: reader } = context;
  if (reader.kind !== 'tenantUser') return ({ name, email }) => ({ name, email });
  const emails = [...new Set(commits.map(({ author }) => author.email))];
  const { people } = await services.directory.subjects.listNames.query({ emails }, { context });
  const names = new Map(people.map(({ email, name }) => [email, name]));
  return ({ email }) => ({ name: names.get(email) ?? '', email: email === reader.email ? email : '' });
}

/** What versions need besides their commits. */
interface VersionContext {
  dashboardId: string;
  isPushed(sha: string): boolean;
  describeAuthor(author: Author): Author;
}

function toVersion(
  { repository: { remote }, publicUrl }: OpenRepository,
  { sha, author, committedAt, text }: Commit,
  { dashboardId, isPushed, describeAuthor }: VersionContext,
): DashboardVersion {
  const { message, trailers } = readCommitText(text);
  return {
    sha,
    message,
    author: describeAuthor(author),
    committedAt: committedAt.toISOString(),
    dashboardVersion: trailers?.dashboardVersion ?? null,
    commitUrl: isPushed(sha)
      ? commitUrlOf({ remote, publicUrl }, dashboardId, sha)
      : ownCommitUrl(publicUrl, dashboardId, sha),
  };
}

async function toVersions(
  deps: VersionControlDependencies,
  opened: OpenRepository,
  { dashboardId, commits, context }: { dashboardId: string; commits: Commit[]; context: CallContext },
): Promise<DashboardVersion[]> {
  const { bare, repository } = opened;
  const { remote, branch } = repository;
  const unpushed = remote && (await readUnpushed(bare, { url: remote.url, branch }, UNPUSHED_MAX));
  const isPushed = (sha: string) => !unpushed?.has(sha);
  const describeAuthor = await readAuthors(deps, commits, context);
  return commits.map((commit) => toVersion(opened, commit, { dashboardId, isPushed, describeAuthor }));
}

/** Lists the commits of a dashboard, newest first. A cursor is the last commit of the previous page. */
export async function listVersions(
  deps: VersionControlDependencies,
  { id, limit, cursor }: Input<'listVersions'>,
  context: CallContext,
): Output<'listVersions'> {
  await requireEditor(deps, id, context);
  if (cursor !== undefined && !SHA.test(cursor))
    throw invalidField('cursor', 'is not a cursor of this list', 'format');
  const opened = await openWithCommits(deps, context);
  if (opened === null) return { versions: [], nextCursor: null };
  const { bare, repository } = opened;
  const [from] = await readRefs(bare, [
    cursor === undefined ? branchRef(repository.branch) : `${cursor}^{commit}`,
  ]);
  if (!from) throw invalidField('cursor', 'is not a cursor of this list', 'format');
  const skip = cursor === undefined ? 0 : 1;
  const commits = await readHistory(bare, { from, path: fileOf(id), skip, limit: limit + 1 });
  const page = commits.slice(0, limit);
  const nextCursor = commits.length > limit ? (page.at(-1)?.sha ?? null) : null;
  return {
    versions: await toVersions(deps, opened, { dashboardId: id, commits: page, context }),
    nextCursor,
  };
}

/**
 * Reads the commit and the content of a version. Throws NOT_FOUND unless the commit is a version of this
 * dashboard.
 */
async function getContent(
  opened: OpenRepository | null,
  id: string,
  sha: string,
): Promise<{ commit: Commit; content: DashboardContent }> {
  if (opened === null || !SHA.test(sha)) throw new AppError('NOT_FOUND');
  const { bare, repository } = opened;
  const path = fileOf(id);
  const [from, tip, blob] = await readRefs(bare, [
    `${sha}^{commit}`,
    branchRef(repository.branch),
    `${sha}:${path}`,
  ]);
  if (!from || !tip || !blob || !(await isAncestor(bare, sha, tip))) throw new AppError('NOT_FOUND');
  const commit = await findCommit(bare, { from: sha, path });
  const content = commit?.sha === sha ? parseDashboardFile(await readBlob(bare, blob), id) : null;
  if (commit === null || content === null) throw new AppError('NOT_FOUND');
  return { commit, content };
}

export async function getVersion(
  deps: VersionControlDependencies,
  { id, sha }: Input<'getVersion'>,
  context: CallContext,
): Output<'getVersion'> {
  await requireEditor(deps, id, context);
  const opened = await openWithCommits(deps, context);
  const { commit, content } = await getContent(opened, id, sha);
  const [version] =
    opened === null ? [] : await toVersions(deps, opened, { dashboardId: id, commits: [commit], context });
  if (version === undefined) throw new AppError('NOT_FOUND');
  return { version: { ...version, content } };
}

/** Returns the JSON Patch from one version to another, or to the current dashboard. */
export async function diffVersions(
  deps: VersionControlDependencies,
  { id, sha, to }: Input<'diff'>,
  context: CallContext,
): Output<'diff'> {
  const dashboard = await requireEditor(deps, id, context);
  const opened = await openWithCommits(deps, context);
  const { content } = await getContent(opened, id, sha);
  const target =
    to === undefined ? DashboardContent.parse(dashboard) : (await getContent(opened, id, to)).content;
  return { from: sha, to: to ?? null, patch: await runInSlices(diffJson(content, target)) };
}

/**
 * Saves the content of a version as the dashboard's next version, with the caller's own rights. Throws
 * NOT_FOUND, PRECONDITION_FAILED, and the errors of saving.
 */
export async function restoreVersion(
  deps: VersionControlDependencies,
  { id, sha, commitMessage }: Input<'restore'>,
  context: CallContext,
): Output<'restore'> {
  await requireEditor(deps, id, context);
  const { content } = await getContent(await openWithCommits(deps, context), id, sha);
  return deps.services.access.dashboards.update.mutate({ ...content, commitMessage }, { context });
}
