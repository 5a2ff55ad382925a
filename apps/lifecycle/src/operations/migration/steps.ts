import {
  AppError,
  type CommitResult,
  type InputOf,
  type JsonObject,
  type Services,
  type UndoOutcome,
} from '@gatehouse/contract';
import { boundIdsOf, presentBound, type PresentStates } from '../../logic/migration/binding.js';
import { FORMER, type MigrationDocument, type StoredStep } from '../../store/migrations.js';
import { ownOrigin, planHashOf, type Migrations } from './migrations.js';

type AccessCopies = Services['access']['procedures']['copies'];
type SemanticCopies = Services['semantics']['procedures']['copies'];
/** What each action writes beside the place and the person. */
type ContentOf<C extends Record<string, unknown>, V extends keyof C> = Omit<
  C[V] extends AccessCopies[keyof AccessCopies] | SemanticCopies[keyof SemanticCopies]
    ? InputOf<C[V]>
    : never,
  'organizationId' | 'projectId' | 'id' | 'migrationId' | 'actor'
>;
type DashboardContent = Omit<ContentOf<AccessCopies, 'createDashboard'>, 'secretHash'>;

/** What a step has come to. */
export interface StepOutcome {
  /** The version that the dashboard has by it. */
  version?: number;
  versionControl?: CommitResult;
}

/** Where and for whom a migration writes a record. */
function writingOf(document: MigrationDocument, id: string) {
  const { _id: migrationId, organizationId, targetProjectId: projectId, actor, undoActor } = document;
  return { organizationId, projectId, id, migrationId, actor: undoActor ?? actor };
}

async function readContent<T>({ store }: Migrations, document: MigrationDocument, name: string): Promise<T> {
  const text = await store.findContent(document.contentsKey, name);
  if (text === null) throw new Error(`The content of step ${name} is lost`);
  return JSON.parse(text) as T;
}

/** The states of everything that the plan is bound to, from both services and both projects. */
async function readStates(migrations: Migrations, document: MigrationDocument): Promise<PresentStates> {
  const { services } = migrations;
  const { organizationId, bound } = document;
  const origin = await ownOrigin(migrations, document);
  const ofProject = async (projectId: string) => {
    const ids = boundIdsOf(bound, projectId);
    const place = { organizationId, projectId };
    const [resources, records] = await Promise.all([
      services.access.copies.states(origin, { ...place, ...ids.resources }),
      services.semantics.copies.states(origin, { ...place, ...ids.records }),
    ]);
    return [...Object.values(resources), ...Object.values(records)].flat();
  };
  const states = await Promise.all([document.sourceProjectId, document.targetProjectId].map(ofProject));
  return new Map(states.flat().map((state) => [state.id, state]));
}

/** Throws CONFLICT when anything that the plan was made on has changed since. */
async function verify(migrations: Migrations, document: MigrationDocument): Promise<StepOutcome> {
  const states = await readStates(migrations, document);
  const present = presentBound(document.bound, states, document._id);
  if (planHashOf(present) === document.planHash) return {};
  const message = 'The dashboards, or what they refer to, have changed since the migration was planned';
  throw new AppError('CONFLICT', { message });
}

async function writeDashboard(
  migrations: Migrations,
  document: MigrationDocument,
  step: StoredStep,
): Promise<StepOutcome> {
  const { access } = migrations.services;
  const origin = await ownOrigin(migrations, document);
  const writing = writingOf(document, document.targetDashboardId);
  const content = await readContent<DashboardContent>(migrations, document, step.name);
  if (document.secretHash !== null) {
    const { secretHash } = document;
    return access.copies.createDashboard(origin, { ...writing, ...content, secretHash });
  }
  const { tags: _tags, ...kept } = content;
  const expectedVersion = document.expectedVersion ?? 0;
  const { version } = await access.copies.replaceDashboard(origin, { ...writing, ...kept, expectedVersion });
  return { version };
}

/** The dashboard as its project's repository holds it. */
async function commit(migrations: Migrations, document: MigrationDocument): Promise<StepOutcome> {
  const {
    organizationId,
    targetProjectId: projectId,
    targetDashboardId: dashboardId,
    tags,
    commit: asked,
  } = document;
  const written = document.steps.find(({ targetId }) => targetId === dashboardId);
  if (asked === null || written === undefined) throw new Error('There is nothing to commit');
  const content = await readContent<DashboardContent>(migrations, document, written.name);
  const { title, description, template } = content;
  const versionControl = await migrations.repositories.commit({
    organizationId,
    projectId,
    dashboardId,
    version: written.version ?? 1,
    content: { id: dashboardId, title, description, tags, isDataApp: false, template },
    message: asked.message,
    author: asked.author,
    key: document._id,
  });
  return { versionControl };
}

/** Does what a step is there for. Doing it again does nothing more. Rejects with what kept it from being done. */
export async function carryOutStep(
  migrations: Migrations,
  document: MigrationDocument,
  step: StoredStep,
): Promise<StepOutcome> {
  const { access, semantics } = migrations.services;
  const read = <T>() => readContent<T>(migrations, document, step.name);
  const writing = writingOf(document, step.targetId ?? '');
  switch (step.action) {
    case 'verify':
      return verify(migrations, document);
    case 'createDomain': {
      const content = await read<ContentOf<SemanticCopies, 'createDomain'>>();
      return semantics.copies.createDomain(await ownOrigin(migrations, document), { ...writing, ...content });
    }
    case 'createDatamodel': {
      const content = await read<ContentOf<SemanticCopies, 'createDatamodel'>>();
      return semantics.copies.createDatamodel(await ownOrigin(migrations, document), {
        ...writing,
        ...content,
      });
    }
    case 'createVisual': {
      const content = await read<ContentOf<AccessCopies, 'createVisual'>>();
      return access.copies.createVisual(await ownOrigin(migrations, document), { ...writing, ...content });
    }
    case 'createDashboard':
    case 'replaceDashboard':
      return writeDashboard(migrations, document, step);
    case 'commit':
      return commit(migrations, document);
  }
}

async function restore(migrations: Migrations, document: MigrationDocument): Promise<UndoOutcome> {
  const former = await readContent<JsonObject>(migrations, document, FORMER);
  const origin = await ownOrigin(migrations, document);
  const writing = writingOf(document, document.targetDashboardId);
  const content = former as ContentOf<AccessCopies, 'restoreDashboard'>;
  const { outcome } = await migrations.services.access.copies.restoreDashboard(origin, {
    ...writing,
    ...content,
  });
  return outcome;
}

/** What a step made is deleted, what it replaced is put back. Undoing it again does nothing more. */
export async function undoStep(
  migrations: Migrations,
  document: MigrationDocument,
  step: StoredStep,
): Promise<UndoOutcome> {
  const { access, semantics } = migrations.services;
  const origin = await ownOrigin(migrations, document);
  const writing = writingOf(document, step.targetId ?? '');
  switch (step.action) {
    case 'createDomain':
      return (await semantics.copies.remove(origin, { ...writing, type: 'domain' })).outcome;
    case 'createDatamodel':
      return (await semantics.copies.remove(origin, { ...writing, type: 'datamodel' })).outcome;
    case 'createVisual':
      return (await access.copies.remove(origin, { ...writing, type: 'visual' })).outcome;
    case 'createDashboard':
      return (await access.copies.remove(origin, { ...writing, type: 'dashboard' })).outcome;
    case 'replaceDashboard':
      return restore(migrations, document);
    case 'verify':
    case 'commit':
      return 'undone';
  }
}
