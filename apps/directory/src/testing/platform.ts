import {
  TokenClaims,
  type Caller,
  type Principal,
  type RawInputOf,
  type Services,
} from '@gatehouse/contract';
import { createLog, createRefusals, readQuotas, type Databases, type IfMatch } from '@gatehouse/service';
import { startServicePlatform } from '@gatehouse/testing/platform';
import { createStores, type Directory } from '../directory.js';
import { MemberLists } from '../groups/memberLists.js';
import { SHARD_KEYS } from '../records/store/indexes.js';
import { directoryService } from '../service.js';
import { ActiveKeyCache } from '../tokens/activeKeyCache.js';
import { AccessStub } from './accessStub.js';
import { SemanticsStub } from './semanticsStub.js';

type Tokens = Services['directory']['procedures']['tokens'];
export type TokenInput = RawInputOf<Tokens['issue']>;

/** Starts the directory. `settings` are environment variables. */
export async function startPlatform(databases: Databases, settings: Record<string, string> = {}) {
  const access = new AccessStub();
  const semantics = new SemanticsStub();
  const platform = await startServicePlatform(directoryService, {
    databases,
    settings,
    // A rejected write leaves its mark, which promises nothing but that a write may follow.
    collections: Object.keys(SHARD_KEYS).filter((name) => name !== 'tenantUserMarks'),
    linksTo: ({ verifier }) => ({
      access: access.linkFor(verifier),
      semantics: semantics.linkFor(verifier),
    }),
  });
  const { as, bus, config, database, sealer, services } = platform;
  const { directory } = services;
  const log = createLog('another', config);
  const stores = createStores(database, readQuotas(config));
  /** The dependencies of the operations, like those of another process of the service. */
  const dependencies: Directory = {
    stores,
    services,
    sealer,
    config,
    activeKey: new ActiveKeyCache(),
    memberLists: new MemberLists(stores.groupMembers),
    refusals: createRefusals({ service: 'another', bus, log }),
  };
  const system: Caller = { kind: 'system', name: 'gateway' };

  const resolve = async (claims: TokenClaims): Promise<Principal | null> =>
    (await directory.principals.resolve.query({ claims }, { context: await as(system) })).principal;

  return {
    ...platform,
    access,
    semantics,
    directory,
    dependencies,
    resolve,

    /** The origin of a call of this caller. */
    originOf: (caller: Caller, ifMatch?: IfMatch) => as(caller, ifMatch),

    /** The origin of a call that the gateway makes on its own behalf. */
    get asSystem() {
      return as(system);
    },

    /** Issues a token and returns its bearer. */
    async login<P extends Principal = Principal>(request: TokenInput): Promise<P> {
      const { accessToken } = await directory.tokens.issue.mutate(request, { context: await as(system) });
      const principal = await resolve(claimsIn(accessToken));
      if (!principal) throw new Error('The token has no bearer');
      return principal as P;
    },
  };
}
export type TestPlatform = Awaited<ReturnType<typeof startPlatform>>;

/** Reads the unverified claims of a token. Throws when they are not exactly those of the contract. */
export function claimsIn(accessToken: string): TokenClaims {
  const [, payload = ''] = accessToken.split('.');
  return TokenClaims.strict().parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
}
