import { createHash } from 'node:crypto';
import {
  AppError,
  type CommitResult,
  type InputOf,
  type Services,
  type UndoOutcome,
} from '@gatehouse/contract';
import type { CallOrigin } from '@gatehouse/service';
import { commitDashboard } from '../versionControl/commitDashboard.js';
import type { MigrationDependencies } from './dependencies.js';
import {
  bindingTextOf,
  boundIdsOf,
  presentBound,
  type BoundRecord,
  type PresentStates,
} from './logic/binding.js';
import type { MigrationDocument, StoredStep } from './documents.js';
import { FORMER } from './store.js';

/** A hash of the versions of all records that a plan is based on. */
export function planHashOf(bound: readonly BoundRecord[]): string {
  return createHash('sha256').update(bindingTextOf(bound)).digest('base64url');
}

type AccessCopies = Services['access']['procedures']['copies'];
type SemanticCopies = Services['semantics']['procedures']['copies'];
/** The content of a write, without its scope and its actor. */
type ContentOf<C extends Record<string, unknown>, V extends keyof C> = Omit<
  C[V] extends AccessCopies[keyof AccessCopies] | SemanticCopies[keyof SemanticCopies]
    ? InputOf<C[V]>
    : never,
  'organizationId' | 'projectId' | 'id' | 'migrationId' | 'actor'
>;
type DashboardContent = Omit<ContentOf<AccessCopies, 'createDashboard'>, 'secretHash'>;

/** The outcome of a step. */
export interface StepOutcome {
  /** The version of the dashboard after the step. */
  version?: number;
  versionControl?: CommitResult;
}

/** One object for all calls, so that its token is signed rarely and cached. */
const LIFECYCLE = { kind: 'system', name: 'lifecycle' } as const;

/**
 * The origin of the calls that the service makes as itself. Throws UNAVAILABLE when it has no signing key.
 */
export async function createSystemOrigin(
  { signer }: MigrationDependencies,
  requestId: string,
): Promise<CallOrigin> {
  if (signer === undefined) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 60 });
  return { token: await signer.sign(LIFECYCLE), requestId };
}

/** The scope and the actor of a write. */
function writeScopeOf(document: MigrationDocument, id: string) {
  const { _id: migrationId, organizationId, targetProjectId: projectId, actor, undoActor } = document;
  return { organizationId, projectId, id, migrationId, actor: undoActor ?? actor };
}

async function findContent<T>(
  { store }: MigrationDependencies,
  document: MigrationDocument,
  name: string,
): Promise<T | null> {
  const text = await store.findContent(document.contentsKey, name);
  return text === null ? null : (JSON.parse(text) as T);
}

async function readContent<T>(
  deps: MigrationDependencies,
  document: MigrationDocument,
  name: string,
): Promise<T> {
  const content = await findContent<T>(deps, document, name);
  if (content === null) throw new Error(`The content of step ${name} is lost`);
  return content;
}

function changedSincePlanned(): AppError {
  const message = 'The dashboards, or what they refer to, have changed since the migration was planned';
  return new AppError('CONFLICT', { message });
}

/** Reads the states of all bound records, from both services and both projects. */
async function readStates(deps: MigrationDependencies, document: MigrationDocument): Promise<PresentStates> {
  const { services } = deps;
  const { organizationId, bound } = document;
  const origin = await createSystemOrigin(deps, document.actor.requestId);
  const ofProject = async (projectId: string) => {
    const ids = boundIdsOf(bound, projectId);
    const scope = { organizationId, projectId };
    const [resources, records] = await Promise.all([
      services.access.copies.states.query({ ...scope, ...ids.resources }, { context: origin }),
      services.semantics.copies.states.query({ ...scope, ...ids.records }, { context: origin }),
    ]);
    return [...Object.values(resources), ...Object.values(records)].flat();
  };
  const states = await Promise.all([document.sourceProjectId, document.targetProjectId].map(ofProject));
  return new Map(states.flat().map((state) => [state.id, state]));
}

/** Throws CONFLICT when a record that the plan is based on has changed. */
async function verify(deps: MigrationDependencies, document: MigrationDocument): Promise<StepOutcome> {
  const states = await readStates(deps, document);
  const present = presentBound(document.bound, states, document._id);
  if (planHashOf(present) === document.planHash) return {};
  throw changedSincePlanned();
}

async function writeDashboard(
  deps: MigrationDependencies,
  document: MigrationDocument,
  step: StoredStep,
): Promise<StepOutcome> {
  const { access } = deps.services;
  const origin = await createSystemOrigin(deps, document.actor.requestId);
  const scope = writeScopeOf(document, document.targetDashboardId);
  const content = await readContent<DashboardContent>(deps, document, step.name);
  if (document.secretHash !== null) {
    const { secretHash } = document;
    return access.copies.createDashboard.mutate({ ...scope, ...content, secretHash }, { context: origin });
  }
  const { tags: _tags, ...kept } = content;
  const expectedVersion = document.expectedVersion ?? 0;
  const { version } = await access.copies.replaceDashboard.mutate(
    { ...scope, ...kept, expectedVersion },
    { context: origin },
  );
  return { version };
}

/** Commits the dashboard to the repository of its project. */
async function commit(deps: MigrationDependencies, document: MigrationDocument): Promise<StepOutcome> {
  const {
    organizationId,
    targetProjectId: projectId,
    targetDashboardId: dashboardId,
    tags,
    commit: requested,
  } = document;
  const written = document.steps.find(({ targetId }) => targetId === dashboardId);
  if (requested === null || written === undefined) throw new Error('There is nothing to commit');
  const content = await readContent<DashboardContent>(deps, document, written.name);
  const { title, description, template } = content;
  const versionControl = await commitDashboard(deps.versionControl, {
    organizationId,
    projectId,
    dashboardId,
    version: written.version ?? 1,
    content: { id: dashboardId, title, description, tags, isDataApp: false, template },
    message: requested.message,
    author: requested.author,
    key: document._id,
  });
  return { versionControl };
}

/** Runs a step. It is idempotent. Rejects with the error that prevented it. */
export async function runStep(
  deps: MigrationDependencies,
  document: MigrationDocument,
  step: StoredStep,
): Promise<StepOutcome> {
  const { access, semantics } = deps.services;
  if (step.action === 'verify') return verify(deps, document);
  if (step.action === 'commit') return commit(deps, document);
  if (step.action === 'createDashboard' || step.action === 'replaceDashboard')
    return writeDashboard(deps, document, step);
  const read = <T>() => readContent<T>(deps, document, step.name);
  const scope = writeScopeOf(document, step.targetId ?? '');
  const context = await createSystemOrigin(deps, document.actor.requestId);
  switch (step.action) {
    case 'createDomain': {
      const content = await read<ContentOf<SemanticCopies, 'createDomain'>>();
      return semantics.copies.createDomain.mutate({ ...scope, ...content }, { context });
    }
    case 'createDatamodel': {
      const content = await read<ContentOf<SemanticCopies, 'createDatamodel'>>();
      return semantics.copies.createDatamodel.mutate({ ...scope, ...content }, { context });
    }
    case 'createVisual': {
      const content = await findContent<ContentOf<AccessCopies, 'createVisual'>>(deps, document, step.name);
      // The caller could not read the visual any more when the contents were stored.
      if (content === null) throw changedSincePlanned();
      return access.copies.createVisual.mutate({ ...scope, ...content }, { context });
    }
  }
}

/**
 * Undoes a step: deletes the record that it created, or restores the record that it replaced. It is
 * idempotent.
 */
export async function undoStep(
  deps: MigrationDependencies,
  document: MigrationDocument,
  step: StoredStep,
): Promise<UndoOutcome> {
  const { access, semantics } = deps.services;
  const context = await createSystemOrigin(deps, document.actor.requestId);
  const scope = writeScopeOf(document, step.targetId ?? '');
  const remove = async (): Promise<{ outcome: UndoOutcome }> => {
    switch (step.action) {
      case 'createDomain':
        return semantics.copies.remove.mutate({ ...scope, type: 'domain' }, { context });
      case 'createDatamodel':
        return semantics.copies.remove.mutate({ ...scope, type: 'datamodel' }, { context });
      case 'createVisual':
        return access.copies.remove.mutate({ ...scope, type: 'visual' }, { context });
      case 'createDashboard':
        return access.copies.remove.mutate({ ...scope, type: 'dashboard' }, { context });
      case 'replaceDashboard': {
        const former = await readContent<ContentOf<AccessCopies, 'restoreDashboard'>>(deps, document, FORMER);
        const writtenVersion = step.version;
        return access.copies.restoreDashboard.mutate({ ...scope, ...former, writtenVersion }, { context });
      }
      case 'verify':
      case 'commit':
        return { outcome: 'undone' };
    }
  };
  return (await remove()).outcome;
}
