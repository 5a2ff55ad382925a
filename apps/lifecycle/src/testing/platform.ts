import { randomBytes } from 'node:crypto';
import {
  services as contracts,
  type FactConnection,
  type InputOf,
  type JsonObject,
  type ModelTemplate,
  type Principal,
} from '@gatehouse/contract';
import {
  connectServices,
  createActivity,
  createInProcessBus,
  createInternalTokenSigner,
  createInternalTokenVerifier,
  createLog,
  createSealer,
  generateInternalKeys,
  implement,
  inProcessLink,
  newKey,
  readConfig,
  type Databases,
  type Handlers,
  type RunningService,
} from '@gatehouse/service';
import { lifecycleService } from '../service.js';
import { catalogOf, type Tables } from './facts.js';

interface KnownConnection {
  tables: Tables;
  version: number;
}
type Load = typeof contracts.semantics.procedures.facts.load;
type Contents = typeof contracts.access.procedures.contents;

/**
 * What the other services know in a test, and their answers as their contracts have them, with every call counted. The
 * services themselves are tested together with this one elsewhere.
 */
export class Surroundings {
  readonly dashboards = new Map<string, JsonObject | null>();
  readonly visuals = new Map<string, JsonObject | null>();
  readonly connections = new Map<string, KnownConnection>();
  readonly domains = new Map<string, ModelTemplate>();
  pageSize = 100;
  /** The calls so far: what was asked of whom. */
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
            })),
            nextAfterId: rest.length > page.length ? (page.at(-1)?.[0] ?? null) : null,
            ...(afterId === '' && { total: all.length }),
          };
        },
        visuals: async ({ ids }) => {
          this.calls.push(`visuals ${ids.toSorted().join(' ')}`);
          const found = [...this.visuals].filter(([id]) => ids.includes(id)).toSorted(byId);
          return {
            visuals: found.map(([id, frameObject]) => ({ id, title: `Title of ${id}`, frameObject })),
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
          return {
            connections: [...this.connections].map((each) => this.#connectionOf(each, input)),
            domains: [...this.domains].map(([id, template]) => ({ id, name: id, label: id, template })),
            datamodels: [],
            assistantProfiles: [],
          };
        },
      },
    };
  }

  #connectionOf(
    [id, { tables, version }]: [string, KnownConnection],
    { known }: InputOf<Load>,
  ): FactConnection {
    const isKnown = known.some(
      ({ connectionId, catalogVersion }) => connectionId === id && catalogVersion === version,
    );
    if (!isKnown) this.sentCatalogs.push(`${id} ${version}`);
    return {
      id,
      name: id,
      type: 'static',
      dialect: 'postgres',
      catalogVersion: version,
      renames: [],
      ...(!isKnown && { catalog: catalogOf(tables) }),
    };
  }
}

function byId([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : Number(a > b);
}

/** The project itself, by its token. */
export const SERVICE_IDENTITY: Principal = {
  kind: 'service',
  tokenType: 'project',
  tokenId: 'token',
  tokenExpiresAt: 4_000_000_000,
  organizationId: 'o_1',
  projectId: 'p_1',
};

/** The lifecycle service as it runs, among surroundings of the test's own. */
export async function startLifecycle(databases: Databases, surroundings: Surroundings) {
  const config = readConfig({ LOG_LEVEL: 'silent', VALIDATE_OUTPUT: '1' });
  const log = createLog('lifecycle', config);
  const keys = await generateInternalKeys();
  const signer = await createInternalTokenSigner(keys.signingKey);
  const verifier = await createInternalTokenVerifier(keys.verifyKey);
  const options = { verifier, log, activity: createActivity(), validatesOutput: true, onMutation: () => {} };
  const { contents } = contracts.access.procedures;
  const { facts } = contracts.semantics.procedures;
  const access = implement({ name: 'access', procedures: { contents } }, surroundings.access(), options);
  const semantics = implement(
    { name: 'semantics', procedures: { facts } },
    surroundings.semantics(),
    options,
  );
  const running: { service?: RunningService } = {};
  const findRouter = () => {
    if (running.service === undefined) throw new Error('The service is not started');
    return running.service.router;
  };
  const services = connectServices({
    access: inProcessLink(() => access),
    semantics: inProcessLink(() => semantics),
    lifecycle: inProcessLink(findRouter),
  });
  const bus = createInProcessBus({ log, onDeadLetter: async () => {} });
  const sealer = createSealer(randomBytes(32).toString('base64'));
  const database = databases.of('lifecycle');
  running.service = await lifecycleService.start({ config, log, database, bus, services, sealer, verifier });
  return {
    validation: services.lifecycle.validation,
    as: async (principal: Principal = SERVICE_IDENTITY) => ({
      token: await signer.sign(principal),
      requestId: `test-${newKey()}`,
    }),
    async [Symbol.asyncDispose]() {
      await running.service?.stop();
      await bus.close();
    },
  };
}
