import {
  services as contracts,
  type CatalogChange,
  type FactConnection,
  type InputOf,
  type JsonObject,
  type ModelTemplate,
  type Principal,
  type SqlDialect,
} from '@gatehouse/contract';
import {
  connectServices,
  createActivity,
  createInternalTokenSigner,
  createInternalTokenVerifier,
  createLog,
  generateInternalKeys,
  implement,
  inProcessLink,
  newKey,
  readConfig,
  type Handlers,
} from '@gatehouse/service';
import { createCatalogCache } from '../validation/catalogCache.js';
import { createValidationProcedures } from '../validation/procedures.js';
import { catalogOf, type Tables } from './factSketches.js';

interface KnownConnection {
  tables: Tables;
  version: number;
  dialect?: SqlDialect;
  renames?: CatalogChange[];
}
type Load = typeof contracts.semantics.procedures.facts.load;
type Contents = typeof contracts.access.procedures.contents;

/**
 * Stubs of the other services, which respond by their contracts and record every call. The platform tests run
 * the real services.
 */
export class StubServices {
  readonly dashboards = new Map<string, JsonObject | null>();
  readonly visuals = new Map<string, JsonObject | null>();
  readonly connections = new Map<string, KnownConnection>();
  readonly domains = new Map<string, ModelTemplate>();
  pageSize = 100;
  /** The most catalogs in one response. */
  catalogsAtOnce = Infinity;
  /** The recorded calls. */
  readonly calls: string[] = [];
  readonly loads: InputOf<Load>[] = [];
  readonly sentCatalogs: string[] = [];

  access(): Handlers<{ contents: Contents }> {
    return {
      contents: {
        dashboards: async ({ ids, afterId = '' }) => {
          this.calls.push('dashboards');
          const all = [...this.dashboards]
            .filter(([id]) => ids === undefined || ids.includes(id))
            .toSorted(byId);
          const rest = all.filter(([id]) => id > afterId);
          const page = rest.slice(0, this.pageSize);
          return {
            dashboards: page.map(([id, template]) => ({
              id,
              title: `Title of ${id}`,
              tenantId: null,
              template,
              isReadable: true,
            })),
            nextAfterId: rest.length > page.length ? (page.at(-1)?.[0] ?? null) : null,
            ...(afterId === '' && { total: all.length }),
          };
        },
        visuals: async ({ ids }) => {
          this.calls.push(`visuals ${ids.toSorted().join(' ')}`);
          const found = [...this.visuals].filter(([id]) => ids.includes(id)).toSorted(byId);
          return {
            visuals: found.map(([id, frameObject]) => ({
              id,
              title: `Title of ${id}`,
              frameObject,
              isReadable: true,
            })),
            nextAfterId: null,
          };
        },
      },
    };
  }

  semantics(): Handlers<{ facts: { load: Load } }> {
    return {
      facts: {
        load: async (input) => {
          this.calls.push('facts');
          this.loads.push(input);
          const sent = this.#missingOf(input).slice(0, this.catalogsAtOnce);
          this.sentCatalogs.push(...sent.map((id) => `${id} ${this.connections.get(id)?.version}`));
          return {
            connections: [...this.connections].map((each) => this.#connectionOf(each, sent)),
            domains: [...this.domains].map(([id, template]) => ({ id, name: id, label: id, template })),
            datamodels: [],
            assistantProfiles: [],
          };
        },
      },
    };
  }

  #missingOf({ known }: InputOf<Load>): string[] {
    const held = new Map(known.map(({ connectionId, catalogVersion }) => [connectionId, catalogVersion]));
    return [...this.connections].flatMap(([id, { version }]) => (held.get(id) === version ? [] : [id]));
  }

  #connectionOf(
    [id, { tables, version, dialect = 'postgres', renames = [] }]: [string, KnownConnection],
    sent: readonly string[],
  ): FactConnection {
    const catalog = sent.includes(id) ? { catalog: catalogOf(tables), renames } : {};
    return { id, name: id, type: 'static', dialect, catalogVersion: version, ...catalog };
  }
}

function byId([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : Number(a > b);
}

/** The identity of the project itself. */
export const SERVICE_IDENTITY: Principal = {
  kind: 'service',
  tokenType: 'project',
  tokenId: 'token',
  tokenExpiresAt: 4_000_000_000,
  organizationId: 'o_1',
  projectId: 'p_1',
};

/** Starts the validation procedures with stubs of the other services. */
export async function startValidation(stubs: StubServices) {
  const log = createLog('lifecycle', readConfig({ LOG_LEVEL: 'silent' }));
  const keys = await generateInternalKeys();
  const signer = await createInternalTokenSigner(keys.signingKey);
  const verifier = await createInternalTokenVerifier(keys.verifyKey);
  const options = { verifier, log, activity: createActivity(), validatesOutput: true };
  const { contents } = contracts.access.procedures;
  const { facts } = contracts.semantics.procedures;
  const { validation } = contracts.lifecycle.procedures;
  const access = implement({ name: 'access', procedures: { contents } }, stubs.access(), options);
  const semantics = implement({ name: 'semantics', procedures: { facts } }, stubs.semantics(), options);
  const links = { access: inProcessLink(() => access), semantics: inProcessLink(() => semantics) };
  const clients = connectServices(links);
  const handlers = createValidationProcedures({ ...clients, catalogs: createCatalogCache() });
  const router = implement(
    { name: 'lifecycle', procedures: { validation } },
    { validation: handlers },
    options,
  );
  return {
    validation: connectServices({ lifecycle: inProcessLink(() => router) }).lifecycle.validation,
    as: async (principal: Principal = SERVICE_IDENTITY) => ({
      token: await signer.sign(principal),
      requestId: `test-${newKey()}`,
    }),
  };
}
