import {
  access,
  AppError,
  directory,
  lifecycle,
  type Dashboard,
  type Principal,
  type TokenRequest,
} from '@gatehouse/contract';
import {
  createActivity,
  createInternalTokenVerifier,
  implement,
  inProcessLink,
  newId,
  requireVersion,
  type CallContext,
  type Logger,
  type ServiceLinks,
} from '@gatehouse/service';
import { claimsOf, signToken, type IssuerKey } from './accessTokens.js';

const { tokens, principals, idempotency, orgUsers, tenantUsers } = directory.procedures;
const directoryPart = {
  name: 'directory',
  procedures: {
    tokens,
    principals,
    idempotency,
    orgUsers: { update: orgUsers.update },
    tenantUsers: { list: tenantUsers.list },
  },
};
const { dashboards, dashboardShares } = access.procedures;
const accessPart = {
  name: 'access',
  procedures: {
    dashboards: {
      list: dashboards.list,
      create: dashboards.create,
      get: dashboards.get,
      update: dashboards.update,
      delete: dashboards.delete,
    },
    dashboardShares: {
      grant: dashboardShares.grant,
      revoke: dashboardShares.revoke,
      list: dashboardShares.list,
    },
  },
};

const { validateAll } = lifecycle.procedures.validation;
const lifecyclePart = { name: 'lifecycle', procedures: { validation: { validateAll } } };

interface Claimed {
  requestHash: string;
  callerHash: string | undefined;
  holder: string | undefined;
  claimId: string;
  response?: { status: number; body: string };
}

/** The state of three in-memory services, and the calls to them. */
export class TestServices {
  keys: IssuerKey[];
  readonly principals = new Map<string, Principal | null>();
  readonly dashboards = new Map<string, Dashboard>();
  readonly claims = new Map<string, Claimed>();
  readonly counts = { keys: 0, resolve: 0, issue: 0, create: 0, list: 0, pages: 0 };
  /** The secrets of projects and dashboards by id. */
  readonly secrets = new Map<string, string>();
  /**
   * The errors of each page of `validation.validateAll`, one for each dashboard that could not be
   * validated.
   */
  pages: string[][] = [[]];
  /** Awaited before a page is returned, with its index from 0. */
  beforePage: (index: number) => Promise<void> = async () => {};
  /** The input of the last call that records it; for `dashboards.list` also the principal. */
  lastInput: unknown;
  /** Awaited by `principals.resolve` between its read and its response. */
  beforeResolveResponse: () => Promise<void> = async () => {};
  /** Awaited by `tokens.keys` before it responds. */
  beforeKeysResponse: () => Promise<void> = async () => {};
  /** Awaited by `dashboards.create` before it creates the dashboard. */
  beforeCreate: () => Promise<void> = async () => {};
  /** Awaited by `dashboards.get` before it responds. */
  beforeGet: () => Promise<void> = async () => {};
  isDirectoryDown = false;

  constructor(keys: IssuerKey[]) {
    this.keys = keys;
  }

  /** Returns links to the services. They accept calls that are signed with the private key of `verifyKey`. */
  async link(verifyKey: string, log: Logger, validatesOutput: boolean): Promise<ServiceLinks> {
    const verifier = await createInternalTokenVerifier(verifyKey);
    const options = { verifier, log, validatesOutput, activity: createActivity() };
    const directoryRouter = implement(directoryPart, this.#directoryHandlers(), options);
    const accessRouter = implement(accessPart, this.#accessHandlers(), options);
    const lifecycleRouter = implement(lifecyclePart, this.#lifecycleHandlers(), options);
    const directoryLink = inProcessLink(() => directoryRouter);
    return {
      directory: {
        ...directoryLink,
        links: [
          () => (call) => {
            if (this.isDirectoryDown) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
            return call.next(call.op);
          },
          ...directoryLink.links,
        ],
      },
      access: inProcessLink(() => accessRouter),
      lifecycle: inProcessLink(() => lifecycleRouter),
    };
  }

  #checkSecret({ projectId, projectSecret, dashboardId, dashboardSecret }: TokenRequest): void {
    const secret = this.secrets.get(dashboardId ?? projectId ?? '');
    if (secret === undefined || secret !== (dashboardSecret ?? projectSecret))
      throw new AppError('UNAUTHENTICATED', { message: 'The id or the secret is wrong' });
  }

  #lifecycleHandlers(): Parameters<typeof implement<typeof lifecyclePart.procedures>>[1] {
    return {
      validation: {
        validateAll: async ({ cursor }, { principal }) => {
          const index = Number(cursor ?? 0);
          this.counts.pages += 1;
          await this.beforePage(index);
          const errors = this.pages[index] ?? [];
          return {
            projectId: principal.projectId,
            totalDashboards: this.pages.flat().length,
            validDashboards: 0,
            invalidDashboards: 0,
            failedDashboards: errors.length,
            results: errors.map((error, position) => ({ dashboardId: `d_${index}_${position}`, error })),
            nextCursor: index + 1 < this.pages.length ? String(index + 1) : null,
          };
        },
      },
    };
  }

  #directoryHandlers(): Parameters<typeof implement<typeof directoryPart.procedures>>[1] {
    return {
      tokens: {
        issue: async (request) => {
          this.#checkSecret(request);
          this.counts.issue += 1;
          const [key] = this.keys;
          if (!key) throw new AppError('UNAVAILABLE');
          return { accessToken: signToken(key, claimsOf()), expiresAt: new Date().toISOString() };
        },
        createSignInCode: async (request) => {
          this.#checkSecret(request);
          return { signInCode: 'code', expiresAt: new Date().toISOString() };
        },
        checkSecret: async (request) => {
          this.#checkSecret(request);
          return {};
        },
        invalidate: async () => ({ message: 'Token revoked' }),
        keys: async () => {
          this.counts.keys += 1;
          await this.beforeKeysResponse();
          return { keys: this.keys.map(({ publicKey }) => publicKey) };
        },
        rotateKey: async () => ({ kid: '' }),
      },
      principals: {
        resolve: async ({ claims }) => {
          this.counts.resolve += 1;
          const principal = this.principals.get(claims.sub) ?? null;
          await this.beforeResolveResponse();
          return { principal };
        },
      },
      idempotency: this.#idempotencyHandlers(),
      orgUsers: {
        update: async ({ id }, context) => {
          const { userKey } = personOf(context);
          const { role, ...others } = personOf(context);
          this.principals.set(userKey, { ...others, role: role === 'ADMIN' ? 'VIEWER' : 'ADMIN' });
          throw new AppError('CONFLICT', {
            blockedBy: [{ id, title: 'Changed despite the conflict' }],
          });
        },
      },
      tenantUsers: {
        list: async () => {
          throw new Error('mongodb://secret-host rejected the query');
        },
      },
    };
  }

  #idempotencyHandlers() {
    const find = (claimId: string) => [...this.claims].find(([, claimed]) => claimed.claimId === claimId);
    return {
      claim: async (input: {
        scope: string;
        key: string;
        requestHash: string;
        callerHash?: string | undefined;
        holder?: string | undefined;
      }) => {
        const { requestHash, callerHash, holder } = input;
        const name = `${input.scope}:${input.key}`;
        const claimed = this.claims.get(name);
        if (!claimed) {
          const claimId = newId('share');
          this.claims.set(name, { requestHash, callerHash, holder, claimId });
          return { state: 'claimed' as const, claimId, operationKey: `key of ${claimId}` };
        }
        if (claimed.requestHash !== requestHash) return { state: 'mismatch' as const };
        if (!claimed.response) return { state: 'running' as const };
        const operationKey = `key of ${claimed.claimId}`;
        return claimed.callerHash === callerHash
          ? { state: 'answered' as const, ...claimed.response, operationKey }
          : { state: 'changed' as const, operationKey };
      },
      complete: async ({ claimId, status, body }: { claimId: string; status: number; body: string }) => {
        const claimed = find(claimId)?.[1];
        if (claimed) claimed.response = { status, body };
        return { isStored: claimed !== undefined };
      },
      release: async ({ claimId }: { claimId: string }) => {
        const name = find(claimId)?.[0];
        return { isReleased: name !== undefined && this.claims.delete(name) };
      },
    };
  }

  #accessHandlers(): Parameters<typeof implement<typeof accessPart.procedures>>[1] {
    const get = (id: string) => {
      const dashboard = this.dashboards.get(id);
      if (!dashboard) throw new AppError('NOT_FOUND');
      return dashboard;
    };
    return {
      dashboards: {
        list: async (input, context) => {
          this.counts.list += 1;
          this.lastInput = { input, caller: context.principal };
          return { dashboards: [], nextCursor: null };
        },
        create: async ({ title, template }, context) => {
          this.counts.create += 1;
          await this.beforeCreate();
          if (title === 'fails') throw new Error('driver failure');
          if (title === 'rejected') throw new AppError('FORBIDDEN');
          const dashboard = { ...dashboardOf(context), title, template: template ?? null };
          this.dashboards.set(dashboard.id, dashboard);
          return { dashboard: { ...dashboard, secret: 's3cret' } };
        },
        get: async ({ id }) => {
          await this.beforeGet();
          return { dashboard: get(id) };
        },
        update: async ({ id, ...changes }, context) => {
          this.lastInput = { id, ...changes };
          const before = get(id);
          requireVersion(context, before.version);
          const title = changes.title ?? before.title;
          const dashboard = { ...before, title, version: before.version + 1 };
          this.dashboards.set(id, dashboard);
          return { dashboard };
        },
        delete: async ({ id }, context) => {
          const { title, version } = get(id);
          requireVersion(context, version);
          this.dashboards.delete(id);
          return { message: 'Dashboard deleted', deletedDashboard: { id, title } };
        },
      },
      dashboardShares: {
        grant: async (input) => {
          this.lastInput = input;
          return { message: 'Shared', shares: [] };
        },
        revoke: async (input) => {
          this.lastInput = input;
          return { message: 'Revoked', removed: [] };
        },
        list: async () => {
          throw new AppError('NOT_FOUND');
        },
      },
    };
  }
}

function personOf({ principal }: CallContext) {
  if (principal.kind !== 'orgUser') throw new AppError('FORBIDDEN');
  return principal;
}

function dashboardOf({ principal, now }: CallContext): Dashboard {
  const at = now.toISOString();
  return {
    id: newId('dashboard'),
    title: '',
    description: '',
    projectId: principal.projectId,
    tenantId: null,
    isPrivate: true,
    isDataApp: false,
    tags: [],
    template: null,
    version: 1,
    ownerId: 'ou_admin',
    ownerType: 'organization',
    createdBy: 'ou_admin',
    createdAt: at,
    updatedAt: at,
    permissions: { canEdit: true, canShare: true, canDelete: true },
    accessLevel: 'OWNER',
  };
}
