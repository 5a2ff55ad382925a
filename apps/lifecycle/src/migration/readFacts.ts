import {
  ACCESS_LEVELS,
  AppError,
  Id,
  invalidField,
  seesEveryDomain,
  type OrgUserPrincipal,
} from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { findCommitOnSave } from '../versionControl/configureRepository.js';
import type { Input, MigrationDependencies } from './dependencies.js';
import { visualTitlesOf } from './logic/analysis.js';
import {
  outlineOf,
  referencesIn,
  type ReferencedIds,
  type SourceDashboard,
  type SourceFacts,
  type SourceVisual,
  type TargetFacts,
} from './logic/facts.js';
import { limitToOwnCopies } from './ownCopies.js';
import type { MigrationRequest, RequestFacts } from './logic/request.js';

/** Returns the org user that may migrate. Throws FORBIDDEN for other principals, and for the VIEWER role. */
export function requireMigrator({ principal }: CallContext): OrgUserPrincipal {
  if (principal.kind !== 'orgUser' || principal.role === 'VIEWER') {
    const message = 'This needs an org user with the AUTHOR or ADMIN role';
    throw new AppError('FORBIDDEN', { message });
  }
  return principal;
}

/** Only an ADMIN with a project token that sees all semantic domains may create one, and so copy one. */
function mayCreateDomains(principal: OrgUserPrincipal): boolean {
  const { role, tokenType } = principal;
  return role === 'ADMIN' && tokenType === 'project' && seesEveryDomain(principal);
}

const byId = <T extends { id: string }>(records: readonly T[]) =>
  new Map(records.map((record) => [record.id, record]));

/** Reads the source dashboard. Throws NOT_FOUND, FORBIDDEN below EDITOR, and DATA_APP_NOT_SUPPORTED. */
async function readDashboard(
  { services }: MigrationDependencies,
  dashboardId: string,
  context: CallContext,
): Promise<SourceDashboard> {
  const { dashboard } = await services.access.copies.source.query({ dashboardId }, { context });
  if (ACCESS_LEVELS.indexOf(dashboard.level) < ACCESS_LEVELS.indexOf('EDITOR')) {
    throw new AppError('FORBIDDEN', { message: 'Migrating a dashboard needs EDITOR access to it' });
  }
  if (dashboard.isDataApp) throw new AppError('DATA_APP_NOT_SUPPORTED');
  return dashboard;
}

type Services = Pick<MigrationDependencies, 'services' | 'pageShares'>;

/** The distinct texts that are valid ids. Other texts refer to no record. */
const idsAmong = (texts: Iterable<string>) =>
  [...new Set(texts)].filter((text) => Id.safeParse(text).success);

/** The most visuals that a dashboard may link, directly or indirectly. */
const VISUALS_MAX = 1000;
/** The most characters of their outlines as JSON, which suffice for about 90 references of each visual. */
const OUTLINES_MAX = 4 * 1024 * 1024;

/**
 * Reads the visuals with these ids that the caller may see, page by page. Keep no body for longer than `use`
 * runs: those of all visuals that a dashboard links can take 20 GB.
 */
export async function readVisualPages(
  { services, pageShares }: Services,
  { ids, use }: { ids: string[]; use: (visuals: SourceVisual[]) => Promise<void> | void },
  context: CallContext,
): Promise<void> {
  let afterId: string | null = '';
  while (ids.length > 0 && afterId !== null) {
    const query = { ids, ...(afterId !== '' && { afterId }) };
    afterId = await pageShares.run(context.principal.organizationId, async () => {
      const page = await services.access.copies.visuals.query(query, { context });
      await use(page.visuals);
      return page.nextAfterId;
    });
  }
}

/**
 * Reads the visuals that the dashboard links, directly or indirectly, with the outlines of their bodies.
 * Throws INVALID_REQUEST for too many visuals or references.
 */
async function readVisuals(
  deps: Services,
  linked: Iterable<string>,
  context: CallContext,
): Promise<Map<string, SourceVisual>> {
  const visuals = new Map<string, SourceVisual>();
  const requested = new Set<string>();
  let size = 0;
  let wanted = idsAmong(linked);
  while (wanted.length > 0) {
    for (const id of wanted) requested.add(id);
    if (requested.size > VISUALS_MAX)
      throw invalidField('id', `the dashboard links more than ${VISUALS_MAX} visuals`);
    const level: SourceVisual[] = [];
    const use = (page: readonly SourceVisual[]) => {
      const outlined = page.map((visual) => ({ ...visual, frameObject: outlineOf(visual.frameObject) }));
      for (const { frameObject } of outlined) size += JSON.stringify(frameObject).length;
      if (size > OUTLINES_MAX)
        throw invalidField('id', 'the visuals that the dashboard links have too many references');
      level.push(...outlined);
    };
    await readVisualPages(deps, { ids: wanted, use }, context);
    for (const visual of level) visuals.set(visual.id, visual);
    const next = level.flatMap(({ frameObject }) => [...referencesIn(frameObject, 'frameObject').visual]);
    wanted = idsAmong(next).filter((id) => !requested.has(id));
  }
  return visuals;
}

/**
 * Reads a dashboard and everything that it refers to. Throws as `readDashboard` and `readVisuals`.
 */
async function readSource(
  deps: MigrationDependencies,
  id: string,
  context: CallContext,
): Promise<SourceFacts> {
  const dashboard = await readDashboard(deps, id, context);
  const own = referencesIn(dashboard.template, 'template');
  const visuals = await readVisuals(deps, own.visual, context);
  const all: ReferencedIds[] = [
    own,
    ...[...visuals.values()].map(({ frameObject }) => referencesIn(frameObject, 'frameObject')),
  ];
  const found = await deps.services.semantics.copies.source.query(
    {
      connectionIds: idsAmong(all.flatMap(({ connection }) => [...connection])),
      domainIds: idsAmong(all.flatMap(({ domain }) => [...domain])),
      datamodelIds: idsAmong(all.flatMap(({ datamodel }) => [...datamodel])),
      assistantProfileIds: idsAmong(all.flatMap(({ assistantProfile }) => [...assistantProfile])),
    },
    { context },
  );
  return {
    projectId: context.principal.projectId,
    dashboard,
    visuals,
    connections: byId(found.connections),
    domains: byId(found.domains),
    datamodels: byId(found.datamodels),
    assistantProfiles: byId(found.assistantProfiles),
  };
}

interface TargetQuery {
  projectId: string;
  dashboardId?: string | undefined;
  visualIds: string[];
  visualTitles: string[];
}

/** Reads the dashboards and visuals of the target project that the caller may replace or reuse. */
async function readTargetResources(
  deps: MigrationDependencies,
  { projectId, dashboardId, visualIds, visualTitles }: TargetQuery,
  context: CallContext,
) {
  const query = { projectId, visualIds, visualTitles, ...(dashboardId && { dashboardId }) };
  const resources = await deps.services.access.copies.targets.query(query, { context });
  return limitToOwnCopies(deps, { projectId, resources }, context);
}

/** Reads the target project. Throws TARGET_PROJECT_NOT_FOUND. */
async function readTarget(
  deps: MigrationDependencies,
  query: TargetQuery,
  context: CallContext,
): Promise<TargetFacts> {
  const { services, versionControl } = deps;
  const { projectId } = query;
  const { organizationId } = context.principal;
  const [{ project }, records, { dashboard, visuals }, commitOnSave] = await Promise.all([
    services.directory.subjects.getProject.query({ projectId }, { context }),
    services.semantics.copies.targets.query({ projectId }, { context }),
    readTargetResources(deps, query, context),
    findCommitOnSave(versionControl, organizationId, projectId),
  ]);
  if (project === null) throw new AppError('TARGET_PROJECT_NOT_FOUND');
  return { project, ...records, visuals, dashboard, commitOnSave };
}

/** Throws INVALID_REQUEST for the dashboard's own project. Duplicating copies within a project. */
function requireOtherProject(projectId: string, { principal }: CallContext): void {
  if (projectId === principal.projectId)
    throw invalidField('targetProjectId', 'is the project of the dashboard itself', 'reference');
}

/**
 * Reads everything that a request is checked against. Throws errors of the source and the target project as a
 * whole.
 */
export async function readRequestFacts(
  deps: MigrationDependencies,
  request: MigrationRequest,
  context: CallContext,
): Promise<RequestFacts> {
  const canCreateDomains = mayCreateDomains(requireMigrator(context));
  const { targetProjectId: projectId, replaceExistingId: dashboardId } = request;
  const named = Object.values(request.visualMapping ?? {}).flatMap((value) => value ?? []);
  const query = { projectId, dashboardId, visualIds: idsAmong(named), visualTitles: [] };
  const [source, target] = await Promise.all([
    readSource(deps, request.id, context),
    readTarget(deps, query, context).catch((error: unknown) => error),
  ]);
  // Errors of the source come first: a caller without access to it learns nothing about the target.
  requireOtherProject(projectId, context);
  if (target instanceof Error) throw target;
  return { request, source, target: target as TargetFacts, canCreateDomains };
}

/** Reads the facts of an analysis, which has no request yet. */
export async function readAnalysisFacts(
  deps: MigrationDependencies,
  { id, targetProjectId: projectId }: Input<'analyze'>,
  context: CallContext,
): Promise<Omit<RequestFacts, 'request'>> {
  const canCreateDomains = mayCreateDomains(requireMigrator(context));
  const source = await readSource(deps, id, context);
  requireOtherProject(projectId, context);
  const query = { projectId, visualIds: [], visualTitles: visualTitlesOf(source) };
  return { source, target: await readTarget(deps, query, context), canCreateDomains };
}
