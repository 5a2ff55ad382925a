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
import type { CallContext } from '@gatehouse/service';
import { branchRef, isAncestor, readBlob, readRefs, type BareRepository } from '../git/bareRepository.js';
import { findCommit, readHistory, type Commit } from '../git/history.js';
import { readUnpushed } from '../git/remote.js';
import { readCommitText } from '../logic/versionControl/commitText.js';
import { fileOf } from '../logic/versionControl/dashboardFile.js';
import { diffJson } from '../logic/versionControl/jsonPatch.js';
import { ownCommitUrl } from '../logic/versionControl/remoteUrl.js';
import type { Repository } from '../store/repositories.js';
import { commitUrlOf } from './commitDashboard.js';
import { openBareRepository, type VersionControlParts } from './versionControlParts.js';

type Procedures = Services['lifecycle']['procedures']['versionControl'];
type Input<V extends keyof Procedures> = InputOf<Procedures[V]>;
type Answer<V extends keyof Procedures> = Promise<OutputOf<Procedures[V]>>;

const SHA = /^[0-9a-f]{40}$/;
/** As many commits may wait to be pushed before addresses of the remote are given too early. */
const UNPUSHED_MAX = 10_000;

/** An opened repository with its settings. */
interface Opened {
  repository: Repository;
  bare: BareRepository;
}

/** The dashboard as it is now. Throws NOT_FOUND, and FORBIDDEN for who may not edit it. */
async function requireEditor(
  { services }: VersionControlParts,
  id: string,
  context: CallContext,
): Promise<Dashboard> {
  if (!isPerson(context.principal)) throw new AppError('FORBIDDEN');
  const { dashboard } = await services.access.dashboards.get(context, { id });
  if (!dashboard.permissions.canEdit) throw new AppError('FORBIDDEN');
  return dashboard;
}

/** The repository of the caller's project; null where it has none, or nothing was committed. */
async function findOpened(
  parts: VersionControlParts,
  { principal: { organizationId, projectId } }: CallContext,
): Promise<Opened | null> {
  const repository = await parts.store.find(organizationId, projectId);
  if (repository === null || repository.isRemoved) return null;
  const bare = await openBareRepository(parts, repository);
  const [tip] = await readRefs(bare, [branchRef(repository.branch)]);
  return tip ? { repository, bare } : null;
}

function toVersion(
  { repository }: Opened,
  { sha, author, committedAt, text }: Commit,
  { dashboardId, isPushed }: { dashboardId: string; isPushed: boolean },
): DashboardVersion {
  const { message, marks } = readCommitText(text);
  return {
    sha,
    message,
    author: { name: author.name, email: author.email },
    committedAt: committedAt.toISOString(),
    dashboardVersion: marks?.dashboardVersion ?? null,
    commitUrl: isPushed ? commitUrlOf(repository, dashboardId, sha) : ownCommitUrl(dashboardId, sha),
  };
}

async function toVersions(
  opened: Opened,
  dashboardId: string,
  commits: Commit[],
): Promise<DashboardVersion[]> {
  const { bare, repository } = opened;
  const { remote, branch } = repository;
  const unpushed = remote && (await readUnpushed(bare, { url: remote.url, branch }, UNPUSHED_MAX));
  return commits.map((commit) =>
    toVersion(opened, commit, { dashboardId, isPushed: !unpushed?.has(commit.sha) }),
  );
}

/** Lists the commits of a dashboard, the newest first. A cursor is the last commit of the page before. */
export async function listVersions(
  parts: VersionControlParts,
  { id, limit, cursor }: Input<'listVersions'>,
  context: CallContext,
): Answer<'listVersions'> {
  await requireEditor(parts, id, context);
  if (cursor !== undefined && !SHA.test(cursor)) throw invalidField('cursor', 'is not a cursor of this list');
  const opened = await findOpened(parts, context);
  if (opened === null) return { versions: [], nextCursor: null };
  const { bare, repository } = opened;
  const [from] = await readRefs(bare, [
    cursor === undefined ? branchRef(repository.branch) : `${cursor}^{commit}`,
  ]);
  if (!from) throw invalidField('cursor', 'is not a cursor of this list');
  const skip = cursor === undefined ? 0 : 1;
  const commits = await readHistory(bare, { from, path: fileOf(id), skip, limit: limit + 1 });
  const page = commits.slice(0, limit);
  const nextCursor = commits.length > limit ? (page.at(-1)?.sha ?? null) : null;
  return { versions: await toVersions(opened, id, page), nextCursor };
}

/** What a file holds; null for what is no dashboard, as others may have put there. */
function parseContent(text: string, id: string): DashboardContent | null {
  try {
    const content = DashboardContent.parse(JSON.parse(text));
    return content.id === id ? content : null;
  } catch {
    return null;
  }
}

/** The commit of a version, and what it holds. Throws NOT_FOUND for what is no version of this dashboard. */
async function getContent(
  opened: Opened | null,
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
  const content = commit?.sha === sha ? parseContent(await readBlob(bare, blob), id) : null;
  if (commit === null || content === null) throw new AppError('NOT_FOUND');
  return { commit, content };
}

export async function getVersion(
  parts: VersionControlParts,
  { id, sha }: Input<'getVersion'>,
  context: CallContext,
): Answer<'getVersion'> {
  await requireEditor(parts, id, context);
  const opened = await findOpened(parts, context);
  const { commit, content } = await getContent(opened, id, sha);
  const [version] = opened === null ? [] : await toVersions(opened, id, [commit]);
  if (version === undefined) throw new AppError('NOT_FOUND');
  return { version: { ...version, content } };
}

/** The patch from one version to another, or to the dashboard as it is now. */
export async function diffVersions(
  parts: VersionControlParts,
  { id, sha, to }: Input<'diff'>,
  context: CallContext,
): Answer<'diff'> {
  const dashboard = await requireEditor(parts, id, context);
  const opened = await findOpened(parts, context);
  const { content } = await getContent(opened, id, sha);
  const target =
    to === undefined ? DashboardContent.parse(dashboard) : (await getContent(opened, id, to)).content;
  return { from: sha, to: to ?? null, patch: diffJson(content, target) };
}

/**
 * Saves what a version holds as the dashboard's next version, with the caller's own rights. Throws NOT_FOUND,
 * PRECONDITION_FAILED, and whatever saving throws.
 */
export async function restoreVersion(
  parts: VersionControlParts,
  { id, sha, commitMessage }: Input<'restore'>,
  context: CallContext,
): Answer<'restore'> {
  await requireEditor(parts, id, context);
  const { content } = await getContent(await findOpened(parts, context), id, sha);
  return parts.services.access.dashboards.update(context, { ...content, commitMessage });
}
