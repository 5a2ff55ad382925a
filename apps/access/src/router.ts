import type { access } from '@gatehouse/contract';
import { hashSecret, newSecret, type Handlers, type ServiceClients } from '@gatehouse/service';
import { readContents } from './operations/contents.js';
import { createResource, duplicateResource } from './operations/createResource.js';
import { authenticateDashboard, rotateSecret } from './operations/dashboardSecrets.js';
import { explainAccess, type Deciding } from './operations/explainAccess.js';
import { isGroupUsed, listGroupPermissions } from './operations/groupPermissions.js';
import { listResources } from './operations/listResources.js';
import type { ResourceKinds } from './operations/resourceKind.js';
import { deleteResource, getResource, takeOwnership } from './operations/resources.js';
import { listShares } from './operations/shareList.js';
import { grantShares, revokeShares, type Sharing } from './operations/shares.js';
import { createTargetDirectory } from './operations/targetDirectory.js';
import { updateResource } from './operations/updateResource.js';
import { listViewers } from './operations/viewers.js';

type AccessHandlers = Handlers<(typeof access)['procedures']>;

function dashboardHandlers(kind: ResourceKinds['dashboards']): AccessHandlers['dashboards'] {
  return {
    async list(query, context) {
      const { items, ...page } = await listResources(kind, query, context);
      return { dashboards: items, ...page };
    },
    async create({ template, ...fields }, context) {
      const secret = newSecret(context.operation);
      const input = { ...fields, body: template, secretHash: hashSecret(secret) };
      return { dashboard: { ...(await createResource(kind, input, context)), secret } };
    },
    get: async (input, context) => ({ dashboard: await getResource(kind, input, context) }),
    update: async ({ template, ...fields }, context) => ({
      dashboard: await updateResource(kind, { ...fields, body: template }, context),
    }),
    async delete(input, context) {
      const deletedDashboard = await deleteResource(kind, input, context);
      return { message: 'Dashboard deleted successfully', deletedDashboard };
    },
    async duplicate(input, context) {
      const secret = newSecret(context.operation);
      const copy = await duplicateResource(kind, { ...input, secretHash: hashSecret(secret) }, context);
      return { dashboard: { ...copy, secret } };
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
      visual: await createResource(kind, { ...fields, body: frameObject }, context),
    }),
    get: async (input, context) => ({ visual: await getResource(kind, input, context) }),
    update: async ({ frameObject, ...fields }, context) => ({
      visual: await updateResource(kind, { ...fields, body: frameObject }, context),
    }),
    async delete(input, context) {
      const deletedVisual = await deleteResource(kind, input, context);
      return { message: 'Visual deleted successfully', deletedVisual };
    },
    duplicate: async (input, context) => ({ visual: await duplicateResource(kind, input, context) }),
    takeOwnership: async (input, context) => ({ visual: await takeOwnership(kind, input, context) }),
  };
}

function sharingHandlers(sharing: Sharing): AccessHandlers['dashboardShares'] {
  return {
    grant: (input, context) => grantShares(sharing, input, context),
    revoke: (input, context) => revokeShares(sharing, input, context),
    list: (input, context) => listShares(sharing, input, context),
  };
}

function decisionHandlers(deciding: Deciding): AccessHandlers['dashboardDecisions'] {
  return {
    explain: async (input, context) => ({ access: await explainAccess(deciding, input, context) }),
    viewers: (input, context) => listViewers(deciding, input, context),
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
        visuals: contents.map(({ id, title, body }) => ({ id, title, frameObject: body })),
      };
    },
  };
}

/** The handlers of every procedure, over the two kinds of resource and the directory. */
export function createHandlers(kinds: ResourceKinds, directory: ServiceClients['directory']): AccessHandlers {
  const targets = createTargetDirectory(directory);
  const { dashboards, visuals } = kinds;
  return {
    dashboards: dashboardHandlers(dashboards),
    visuals: visualHandlers(visuals),
    dashboardShares: sharingHandlers({ kind: dashboards, targets }),
    visualShares: sharingHandlers({ kind: visuals, targets }),
    dashboardDecisions: decisionHandlers({ kind: dashboards, directory }),
    visualDecisions: decisionHandlers({ kind: visuals, directory }),
    contents: contentHandlers(kinds),
    groups: {
      permissions: (input, context) => listGroupPermissions({ kinds, targets }, input, context),
      isUsed: async (input, context) => ({ isUsed: await isGroupUsed(kinds, input, context) }),
    },
  };
}
