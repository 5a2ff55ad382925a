import { ACCESS_LEVELS, AppError, Id, invalidField, type OrgUserPrincipal } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import { visualTitlesOf } from '../../logic/migration/analysis.js';
import type { MigrationRequest } from '../../logic/migration/choices.js';
import type { SourceDashboard, SourceFacts, SourceVisual, TargetFacts } from '../../logic/migration/facts.js';
import type { Judged } from '../../logic/migration/problems.js';
import { referencesIn, type ReferencedIds } from '../../logic/migration/references.js';
import type { Migrations } from './migrations.js';

/** The org user who migrates. Throws FORBIDDEN for everybody else. */
export function requireMigrator({ principal }: CallContext): OrgUserPrincipal {
  if (principal.kind !== 'orgUser' || principal.role === 'VIEWER') {
    const message = 'This needs an org user with the AUTHOR or ADMIN role';
    throw new AppError('FORBIDDEN', { message });
  }
  return principal;
}

/** Creating semantic domains is for an ADMIN whose token sees them all, by way of a migration too. */
function mayCreateDomains({ role, semanticDomainAccess: access }: OrgUserPrincipal): boolean {
  return role === 'ADMIN' && (access === undefined || access.mode === 'all');
}

const byId = <T extends { id: string }>(records: readonly T[]) =>
  new Map(records.map((record) => [record.id, record]));
/** What is no id names nothing, and need not be looked for. */
const idsAmong = (texts: Iterable<string>) =>
  [...new Set(texts)].filter((text) => Id.safeParse(text).success);

/** As many as one dashboard may link, directly or not. */
const VISUALS_MAX = 1000;

/** The source dashboard. Throws NOT_FOUND, FORBIDDEN below EDITOR, and DATA_APP_NOT_SUPPORTED. */
async function readDashboard(
  { services }: Migrations,
  dashboardId: string,
  context: CallContext,
): Promise<SourceDashboard> {
  const { dashboard } = await services.access.copies.source(context, { dashboardId });
  if (ACCESS_LEVELS.indexOf(dashboard.level) < ACCESS_LEVELS.indexOf('EDITOR')) {
    throw new AppError('FORBIDDEN', { message: 'Migrating a dashboard needs EDITOR access to it' });
  }
  if (dashboard.isDataApp) throw new AppError('DATA_APP_NOT_SUPPORTED');
  return dashboard;
}

async function readLevel({ services }: Migrations, ids: string[], context: CallContext) {
  const visuals: SourceVisual[] = [];
  let afterId: string | null | undefined;
  do {
    const page = await services.access.copies.visuals(context, { ids, ...(afterId && { afterId }) });
    visuals.push(...page.visuals);
    afterId = page.nextAfterId;
  } while (afterId !== null);
  return visuals;
}

/** The visuals that the dashboard links and those that these link in turn: a trip for each level of them. */
async function readVisuals(
  migrations: Migrations,
  linked: Iterable<string>,
  context: CallContext,
): Promise<Map<string, SourceVisual>> {
  const visuals = new Map<string, SourceVisual>();
  const asked = new Set<string>();
  let wanted = idsAmong(linked);
  while (wanted.length > 0) {
    for (const id of wanted) asked.add(id);
    if (asked.size > VISUALS_MAX)
      throw invalidField('id', `the dashboard links more than ${VISUALS_MAX} visuals`);
    const level = await readLevel(migrations, wanted, context);
    for (const visual of level) visuals.set(visual.id, visual);
    const next = level.flatMap(({ frameObject }) => [...referencesIn(frameObject, 'frameObject').visual]);
    wanted = idsAmong(next).filter((id) => !asked.has(id));
  }
  return visuals;
}

/** Everything that the dashboard refers to. Throws as `readDashboard` does, and INVALID_REQUEST for too many visuals. */
async function readSource(migrations: Migrations, id: string, context: CallContext): Promise<SourceFacts> {
  const dashboard = await readDashboard(migrations, id, context);
  const own = referencesIn(dashboard.template, 'template');
  const visuals = await readVisuals(migrations, own.visual, context);
  const all: ReferencedIds[] = [
    own,
    ...[...visuals.values()].map(({ frameObject }) => referencesIn(frameObject, 'frameObject')),
  ];
  const found = await migrations.services.semantics.copies.source(context, {
    connectionIds: idsAmong(all.flatMap(({ connection }) => [...connection])),
    domainIds: idsAmong(all.flatMap(({ domain }) => [...domain])),
    datamodelIds: idsAmong(all.flatMap(({ datamodel }) => [...datamodel])),
    assistantProfileIds: idsAmong(all.flatMap(({ assistantProfile }) => [...assistantProfile])),
  });
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

interface TargetQuestion {
  projectId: string;
  dashboardId?: string | undefined;
  visualIds: string[];
  visualTitles: string[];
}

/** What there is in the target project. Throws TARGET_PROJECT_NOT_FOUND. */
async function readTarget(
  { services, repositories }: Migrations,
  { projectId, dashboardId, visualIds, visualTitles }: TargetQuestion,
  context: CallContext,
): Promise<TargetFacts> {
  const { organizationId } = context.principal;
  const resources = { projectId, visualIds, visualTitles, ...(dashboardId && { dashboardId }) };
  const [{ project }, records, { dashboard, visuals }, settings] = await Promise.all([
    services.directory.subjects.getProject(context, { projectId }),
    services.semantics.copies.targets(context, { projectId }),
    services.access.copies.targets(context, resources),
    repositories.settingsOf(organizationId, projectId),
  ]);
  if (project === null) throw new AppError('TARGET_PROJECT_NOT_FOUND');
  return { project, ...records, visuals, dashboard, commitOnSave: settings.commitOnSave };
}

/** Throws INVALID_REQUEST for the project of the dashboard itself: that is what duplicating is for. */
function requireOtherProject(projectId: string, { principal }: CallContext): void {
  if (projectId === principal.projectId)
    throw invalidField('targetProjectId', 'is the project of the dashboard itself');
}

/** All that a request for a migration is judged on. Throws what concerns the source or the target project as a whole. */
export async function readJudged(
  migrations: Migrations,
  request: MigrationRequest,
  context: CallContext,
): Promise<Judged> {
  const canCreateDomains = mayCreateDomains(requireMigrator(context));
  const { targetProjectId: projectId, replaceExistingId: dashboardId } = request;
  const named = Object.values(request.visualMapping ?? {}).flatMap((value) => value ?? []);
  const question = { projectId, dashboardId, visualIds: idsAmong(named), visualTitles: [] };
  const [source, target] = await Promise.all([
    readSource(migrations, request.id, context),
    readTarget(migrations, question, context).catch((error: unknown) => error),
  ]);
  // What is wrong with the source comes first: who may not see it learns nothing else.
  requireOtherProject(projectId, context);
  if (target instanceof Error) throw target;
  return { request, source, target: target as TargetFacts, canCreateDomains };
}

/** The same for the analysis, which no request has been made for yet. */
export async function readAnalyzed(
  migrations: Migrations,
  { id, targetProjectId: projectId }: { id: string; targetProjectId: string },
  context: CallContext,
): Promise<Omit<Judged, 'request'>> {
  const canCreateDomains = mayCreateDomains(requireMigrator(context));
  const source = await readSource(migrations, id, context);
  requireOtherProject(projectId, context);
  const question = { projectId, visualIds: [], visualTitles: visualTitlesOf(source) };
  return { source, target: await readTarget(migrations, question, context), canCreateDomains };
}
