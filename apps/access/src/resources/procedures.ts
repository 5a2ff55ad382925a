import type { access } from '@gatehouse/contract';
import { hashSecret, newSecret, type CallContext, type Handlers } from '@gatehouse/service';
import { saveAndCommit, type CommitDependencies } from '../commits/saveAndCommit.js';
import { findLevel } from '../decisions/authorizeCaller.js';
import { batchDashboards } from './batchDashboards.js';
import { createResource, idTaken, readOriginal, type ResourceInput } from './createResource.js';
import { deleteResource } from './deleteResource.js';
import { getResource } from './getResource.js';
import type { ResourceKind, ResourceKinds } from './kind.js';
import { listResources } from './listResources.js';
import { readContents } from './readContents.js';
import { authenticateDashboard, rotateSecret } from './rotateSecret.js';
import { takeOwnership } from './takeOwnership.js';
import { updateResource, type ResourceFieldsInput } from './updateResource.js';
import { createCreator, createWriter, recordFor } from './writer.js';

type AccessHandlers = Handlers<(typeof access)['procedures']>;
type ResourceHandlers = Pick<AccessHandlers, 'dashboards' | 'visuals' | 'contents'>;

/**
 * Creates a resource for the caller and returns its public record. Throws CONFLICT if an earlier run of the
 * operation created it, and the caller may not see it any more.
 */
async function create<Full>(
  kind: ResourceKind<unknown, Full>,
  input: ResourceInput,
  context: CallContext,
): Promise<Full> {
  const creator = createCreator(context);
  const resource = await createResource(kind, creator, input);
  const level = await findLevel(kind, creator.requester, resource);
  if (level === null) throw idTaken();
  return kind.toRecord(resource, level);
}

async function update<Full>(
  kind: ResourceKind<unknown, Full>,
  input: ResourceFieldsInput,
  context: CallContext,
): Promise<Full> {
  const writer = createWriter(context, kind.type, input.id);
  return recordFor(kind, writer, await updateResource(kind, writer, input));
}

async function remove(kind: ResourceKind, { id }: { id: string }, context: CallContext) {
  const { title } = await deleteResource(kind, createWriter(context, kind.type, id), id);
  return { id, title };
}

function dashboardHandlers(
  kind: ResourceKinds['dashboards'],
  dependencies: CommitDependencies,
): AccessHandlers['dashboards'] {
  const single = singleDashboardHandlers(kind, dependencies);
  return { ...single, batch: (input, context) => batchDashboards(single, input, context) };
}

function singleDashboardHandlers(
  kind: ResourceKinds['dashboards'],
  dependencies: CommitDependencies,
): Omit<AccessHandlers['dashboards'], 'batch'> {
  return {
    async list(query, context) {
      const { items, ...page } = await listResources(kind, query, context);
      return { dashboards: items, ...page };
    },
    async create({ template, commitMessage, ...fields }, context) {
      const secret = newSecret(context.operation);
      const input = { ...fields, body: template, secretHash: hashSecret(secret) };
      const save = async () => ({ ...(await create(kind, input, context)), secret });
      return saveAndCommit(dependencies, { commitMessage, context }, save);
    },
    get: async (input, context) => ({ dashboard: await getResource(kind, input, context) }),
    async update({ template, commitMessage, ...fields }, context) {
      const input = { ...fields, body: template, mayChangeNothing: commitMessage !== undefined };
      const save = () => update(kind, input, context);
      return saveAndCommit(dependencies, { commitMessage, context }, save);
    },
    delete: async (input, context) => ({
      message: 'Dashboard deleted successfully',
      deletedDashboard: await remove(kind, input, context),
    }),
    async duplicate({ commitMessage, ...fields }, context) {
      const secret = newSecret(context.operation);
      const save = async () => {
        const input = { ...(await readOriginal(kind, fields, context)), secretHash: hashSecret(secret) };
        return { ...(await create(kind, input, context)), secret };
      };
      return saveAndCommit(dependencies, { commitMessage, context }, save);
    },
    takeOwnership: async (input, context) => ({ dashboard: await takeOwnership(kind, input, context) }),
    rotateSecret: async (input, context) => ({ dashboard: await rotateSecret(kind, input, context) }),
    authenticate: async (input) => ({ dashboard: await authenticateDashboard(kind, input) }),
  };
}

function visualHandlers(kind: ResourceKinds['visuals']): AccessHandlers['visuals'] {
  return {
    async list(query, context) {
      const { items, ...page } = await listResources(kind, query, context);
      return { visuals: items, ...page };
    },
    create: async ({ frameObject, ...fields }, context) => ({
      visual: await create(kind, { ...fields, body: frameObject }, context),
    }),
    get: async (input, context) => ({ visual: await getResource(kind, input, context) }),
    update: async ({ frameObject, ...fields }, context) => ({
      visual: await update(kind, { ...fields, body: frameObject }, context),
    }),
    delete: async (input, context) => ({
      message: 'Visual deleted successfully',
      deletedVisual: await remove(kind, input, context),
    }),
    duplicate: async (input, context) => ({
      visual: await create(kind, await readOriginal(kind, input, context), context),
    }),
    takeOwnership: async (input, context) => ({ visual: await takeOwnership(kind, input, context) }),
  };
}

function contentHandlers({ dashboards, visuals }: ResourceKinds): AccessHandlers['contents'] {
  return {
    async dashboards(query, context) {
      const { contents, ...page } = await readContents(dashboards, query, context);
      return { ...page, dashboards: contents.map(({ body, ...fields }) => ({ ...fields, template: body })) };
    },
    async visuals(query, context) {
      const { contents, nextAfterId } = await readContents(visuals, query, context);
      return {
        nextAfterId,
        visuals: contents.map(({ id, title, body, isReadable }) => ({
          id,
          title,
          frameObject: body,
          isReadable,
        })),
      };
    },
  };
}

/** The handlers of dashboards, visuals and their contents. */
export function createResourceProcedures(
  kinds: ResourceKinds,
  dependencies: CommitDependencies,
): ResourceHandlers {
  return {
    dashboards: dashboardHandlers(kinds.dashboards, dependencies),
    visuals: visualHandlers(kinds.visuals),
    contents: contentHandlers(kinds),
  };
}
