import type { access } from '@gatehouse/contract';
import { hashSecret, newSecret, type Handlers, type ServiceClients } from '@gatehouse/service';
import { saveAndCommit, type Committing } from './operations/commitDashboard.js';
import { applyCommitSetting, type CommitSettings } from './operations/commitSettings.js';
import { readContents } from './operations/contents.js';
import * as copies from './operations/copies.js';
import * as copiesWrites from './operations/copiesWrites.js';
import { createResource, duplicateResource } from './operations/createResource.js';
import { authenticateDashboard, rotateSecret } from './operations/dashboardSecrets.js';
import { explainAccess, type Deciding } from './operations/explainAccess.js';
import { explainPastAccess } from './operations/explainPastAccess.js';
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

function dashboardHandlers(
  kind: ResourceKinds['dashboards'],
  committing: Committing,
): AccessHandlers['dashboards'] {
  return {
    async list(query, context) {
      const { items, ...page } = await listResources(kind, query, context);
      return { dashboards: items, ...page };
    },
    async create({ template, commitMessage, ...fields }, context) {
      const secret = newSecret(context.operation);
      const input = { ...fields, body: template, secretHash: hashSecret(secret) };
      const create = async () => ({ ...(await createResource(kind, input, context)), secret });
      return saveAndCommit(committing, { commitMessage, context }, create);
    },
    get: async (input, context) => ({ dashboard: await getResource(kind, input, context) }),
    async update({ template, commitMessage, ...fields }, context) {
      const input = { ...fields, body: template, mayChangeNothing: commitMessage !== undefined };
      return saveAndCommit(committing, { commitMessage, context }, () =>
        updateResource(kind, input, context),
      );
    },
    async delete(input, context) {
      const deletedDashboard = await deleteResource(kind, input, context);
      return { message: 'Dashboard deleted successfully', deletedDashboard };
    },
    async duplicate({ commitMessage, ...fields }, context) {
      const secret = newSecret(context.operation);
      const input = { ...fields, secretHash: hashSecret(secret) };
      const duplicate = async () => ({ ...(await duplicateResource(kind, input, context)), secret });
      return saveAndCommit(committing, { commitMessage, context }, duplicate);
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
    async explain({ at, ...question }, context) {
      if (at === undefined) return { access: await explainAccess(deciding, question, context) };
      return { access: await explainPastAccess(deciding, { ...question, at }, context) };
    },
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

function copyHandlers(kinds: ResourceKinds): AccessHandlers['copies'] {
  return {
    source: (input, context) => copies.readCopySource(kinds, input, context),
    visuals: (input, context) => copies.readCopyVisuals(kinds, input, context),
    targets: (input, context) => copies.readCopyTargets(kinds, input, context),
    uses: (input, context) => copies.findCopyUses(kinds, input, context),
    states: (input) => copiesWrites.readCopyStates(kinds, input),
    createVisual: (input, context) => copiesWrites.createVisualCopy(kinds, input, context),
    createDashboard: (input, context) => copiesWrites.createDashboardCopy(kinds, input, context),
    replaceDashboard: (input, context) => copiesWrites.replaceDashboardContent(kinds, input, context),
    remove: (input, context) => copiesWrites.removeCopy(kinds, input, context),
    restoreDashboard: (input, context) => copiesWrites.restoreDashboardContent(kinds, input, context),
  };
}

/** The other services that this one asks, and what it knows of their settings. */
export interface Surroundings {
  services: Pick<ServiceClients, 'directory' | 'audit' | 'lifecycle'>;
  settings: CommitSettings;
}

/** The handlers of every procedure, over the two kinds of resource, the directory and the record of the past. */
export function createHandlers(kinds: ResourceKinds, { services, settings }: Surroundings): AccessHandlers {
  const {
    directory,
    lifecycle,
    audit: { history },
  } = services;
  const targets = createTargetDirectory(directory);
  const { dashboards, visuals } = kinds;
  const deciding = { dashboards, directory, history };
  return {
    dashboards: dashboardHandlers(dashboards, { settings, lifecycle }),
    visuals: visualHandlers(visuals),
    dashboardShares: sharingHandlers({ kind: dashboards, targets }),
    visualShares: sharingHandlers({ kind: visuals, targets }),
    dashboardDecisions: decisionHandlers({ kind: dashboards, ...deciding }),
    visualDecisions: decisionHandlers({ kind: visuals, ...deciding }),
    contents: contentHandlers(kinds),
    copies: copyHandlers(kinds),
    commitSettings: { keep: (input, context) => applyCommitSetting(settings, input, context) },
    groups: {
      permissions: (input, context) => listGroupPermissions({ kinds, targets }, input, context),
      isUsed: async (input, context) => ({ isUsed: await isGroupUsed(kinds, input, context) }),
    },
  };
}
