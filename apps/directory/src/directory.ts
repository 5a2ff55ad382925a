import {
  directory as contract,
  type CalledBy,
  type CloudEvent,
  type InputOf,
  type OutputOf,
  type Procedure,
} from '@gatehouse/contract';
import {
  createRefusals,
  originOf,
  readQuotas,
  type CallContext,
  type Config,
  type EventOrigin,
  type Handlers,
  type IfMatch,
  type LimitsOf,
  type Refusals,
  type Sealer,
  type ServiceRuntime,
} from '@gatehouse/service';
import { MemberLists } from './groups/memberLists.js';
import { GroupStore } from './groups/store.js';
import { GroupMemberStore } from './groups/store/members.js';
import { IdempotencyStore } from './idempotency/store.js';
import { OrganizationStore } from './organizations/store.js';
import { OrgUserStore, TenantUserStore } from './people/store.js';
import { ProjectStore } from './projects/store.js';
import { createIndexes } from './records/store/indexes.js';
import { IdentityStore } from './identities/store.js';
import { FailedSignInStore, LogoutTokenStore, SessionStore } from './sessions/store.js';
import { TenantStore } from './tenants/store.js';
import { ActiveKeyCache } from './tokens/activeKeyCache.js';
import { RevocationStore, SignInCodeStore, SigningKeyStore } from './tokens/store.js';

/** The runtime of the directory, with clients of the services that it calls. */
export type DirectoryRuntime = ServiceRuntime<CalledBy<'directory'>>;

/** The stores of the directory, one for each kind of document. */
export function createStores(database: DirectoryRuntime['database'], limitsOf: LimitsOf) {
  return {
    organizations: new OrganizationStore(database),
    projects: new ProjectStore(database, limitsOf),
    tenants: new TenantStore(database, limitsOf),
    orgUsers: new OrgUserStore(database, limitsOf),
    tenantUsers: new TenantUserStore(database, limitsOf),
    groups: new GroupStore(database, limitsOf),
    groupMembers: new GroupMemberStore(database, limitsOf),
    revocations: new RevocationStore(database),
    signInCodes: new SignInCodeStore(database),
    sessions: new SessionStore(database),
    identities: new IdentityStore(database),
    logoutTokens: new LogoutTokenStore(database),
    failedSignIns: new FailedSignInStore(database),
    signingKeys: new SigningKeyStore(database),
    idempotency: new IdempotencyStore(database),
  };
}

/** The dependencies of the operations. */
export interface Directory {
  stores: ReturnType<typeof createStores>;
  services: DirectoryRuntime['services'];
  sealer: Sealer;
  config: Pick<
    Config,
    'TOKEN_ISSUER' | 'TOKEN_AUDIENCE' | 'KEY_ROTATION_HOURS' | 'SESSION_IDLE_MINUTES' | 'SESSION_HOURS'
  >;
  activeKey: ActiveKeyCache;
  memberLists: MemberLists;
  refusals: Refusals;
}

/** Creates the missing indexes, then the dependencies of the operations. */
export async function openDirectory(runtime: DirectoryRuntime): Promise<Directory> {
  const { config, database, sealer, services, bus, log } = runtime;
  await createIndexes(database);
  const stores = createStores(database, readQuotas(config));
  return {
    stores,
    services,
    sealer,
    config,
    activeKey: new ActiveKeyCache(),
    memberLists: new MemberLists(stores.groupMembers),
    refusals: createRefusals({ service: contract.name, bus, log }),
  };
}

type Procedures = typeof contract.procedures;
type ProcedureOf<
  N extends keyof Procedures,
  V extends keyof Procedures[N],
> = Procedures[N][V] extends infer P extends Procedure ? P : never;

/** The handlers of some of the directory's procedures, by noun. */
export type DirectoryHandlers<N extends keyof Procedures> = Pick<Handlers<Procedures>, N>;
/** The input of a procedure, by noun and verb. */
export type Input<N extends keyof Procedures, V extends keyof Procedures[N]> = InputOf<ProcedureOf<N, V>>;
/** The output of a procedure, by noun and verb. */
export type Output<N extends keyof Procedures, V extends keyof Procedures[N]> = OutputOf<ProcedureOf<N, V>>;

/** Who makes a change, and the versions of the record that it may apply to. */
export interface Change {
  origin: EventOrigin;
  ifMatch?: IfMatch | undefined;
}

/** The event origin of a call that a principal makes. */
export function callOrigin(context: CallContext): EventOrigin {
  return originOf(contract.name, context);
}

/** The event origin of a call that the platform makes, for a project or for itself. */
export function systemOrigin(
  context: Pick<CallContext, 'requestId' | 'now'>,
  organizationId: string,
  projectId?: string,
): EventOrigin {
  const { requestId, now } = context;
  return { service: contract.name, organizationId, projectId, requestId, actorId: projectId, now };
}

/** The origin of events that follow from another event. */
export function followUpOrigin(event: CloudEvent, now: Date): EventOrigin {
  const { organizationid: organizationId, projectid: projectId, requestid: requestId } = event;
  return { service: contract.name, organizationId, projectId, requestId, now };
}
