import { createEngines } from '@gatehouse/policy/compilation';
import {
  createInternalTokenSigner,
  createInternalTokenVerifier,
  generateInternalKeys,
} from '@gatehouse/service';
import { measureServiceCaches } from './serviceCaches.js';
import type { Catalog, Principal } from '@gatehouse/contract';

/**
 * The gain of each cache. First of those that work without a database: the median time of work that misses
 * the cache, divided by that of work that hits it, alternately in one process. Then of the others.
 */

type Work = (run: number) => Promise<unknown>;
type Engine = ReturnType<ReturnType<typeof createEngines>['engineOf']>;
type Request = Parameters<Engine['restrict']>[0];

const RUNS = 300;
const WARM_UP = 50;

function median(times: number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
}

async function timeOf(work: Work, run: number): Promise<number> {
  const startedMs = performance.now();
  await work(run);
  return performance.now() - startedMs;
}

async function measureGain(name: string, { miss, hit }: { miss: Work; hit: Work }): Promise<void> {
  const missed: number[] = [];
  const met: number[] = [];
  for (let run = 0; run < RUNS + WARM_UP; run += 1) {
    const times = [await timeOf(miss, run), await timeOf(hit, run)] as const;
    if (run < WARM_UP) continue;
    missed.push(times[0]);
    met.push(times[1]);
  }
  const [without, cached] = [median(missed), median(met)];
  const times = `${without.toFixed(4)} ms without, ${cached.toFixed(4)} ms with`;
  console.log(`${name.padEnd(32)} ${(without / cached).toFixed(1).padStart(7)}   ${times}`);
}

const principalOf = (userId: string): Principal => ({
  kind: 'orgUser',
  tokenType: 'project',
  tokenId: 't_1',
  tokenExpiresAt: Math.floor(Date.now() / 1000) + 3600,
  email: 'a@example.com',
  organizationId: 'o_1',
  projectId: 'p_1',
  userId,
  userKey: 'k_1',
  role: 'ADMIN',
  groupIds: [],
});

async function measureTokens(): Promise<void> {
  const keys = await generateInternalKeys();
  const signer = await createInternalTokenSigner(keys.signingKey);
  const verifier = await createInternalTokenVerifier(keys.verifyKey);
  const caller = principalOf('u_1');
  const token = await signer.sign(caller);
  await measureGain('internal tokens, signed', {
    miss: (run) => signer.sign(principalOf(`u_${run}`)),
    hit: () => signer.sign(caller),
  });
  const tokens: string[] = [];
  for (let run = 0; run < RUNS + WARM_UP; run += 1) tokens.push(await signer.sign(principalOf(`u_${run}`)));
  await measureGain('internal tokens, verified', {
    miss: (run) => verifier.verify(tokens[run] ?? ''),
    hit: () => verifier.verify(token),
  });
}

const columns = ['id', 'tenant_id', 'region', 'amount'].map((name) => ({ name, type: 'text' }));
const catalogOf = (count: number): Catalog => ({
  defaultSchema: 'shop',
  schemas: [
    {
      name: 'shop',
      tables: Array.from({ length: count }, (_, index) => ({
        name: `orders_${index}`,
        kind: 'table',
        columns,
      })),
    },
  ],
});

const EXPRESSION =
  "tenant_id = {{ tenant }} and (region in ('north', 'south') or amount = '1' or region is null)";

function requestOf(dialect: 'postgres' | 'mysql', catalog: Catalog): Request {
  return {
    dialect,
    sql: 'select region, count(*) from orders_1 where id > 1 group by region',
    entities: [],
    catalog,
    isGoverned: true,
    pinnedSchema: null,
    allowedSchemas: null,
    rowBarrier: false,
    rules: [
      {
        name: 'tenants',
        definitionId: null,
        assignmentId: null,
        source: 'persisted',
        matcher: { type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' },
        expression: EXPRESSION,
        values: { tenant: { value: 't_1', source: 'runtime' as const } },
        missing: [],
      },
    ],
  };
}

const withStatement = (request: Request, text: string): Request => ({
  ...request,
  sql: `select region, count(*) from orders_1 where id > '${text}' group by region`,
});
const withExpression = (request: Request, run: number): Request => ({
  ...request,
  rules: request.rules.map((rule) => ({ ...rule, expression: `${EXPRESSION} and id <> '${run}'` })),
});
const withTenant = (request: Request, text: string): Request => ({
  ...request,
  rules: request.rules.map((rule) => ({
    ...rule,
    values: { tenant: { value: text, source: 'runtime' as const } },
  })),
});

async function measureEngines(engine: Engine): Promise<void> {
  const [postgres, mysql] = [requestOf('postgres', catalogOf(5)), requestOf('mysql', catalogOf(5))];
  await measureGain('results, restrictions', {
    miss: (run) => engine.restrict(withStatement(postgres, `a${run}`)),
    hit: () => engine.restrict(postgres),
  });
  await measureGain('results, expressions', {
    miss: (run) => engine.printExpression(EXPRESSION, { tenant: `${run}` }, 'postgres'),
    hit: () => engine.printExpression(EXPRESSION, { tenant: 't_1' }, 'postgres'),
  });
  await measureGain('PostgreSQL, compiled rules', {
    miss: (run) => engine.restrict(withExpression(withStatement(postgres, `b${run}`), run)),
    hit: (run) => engine.restrict(withStatement(postgres, `c${run}`)),
  });
  await measureGain('other dialects, rules', {
    miss: (run) => engine.restrict(withExpression(withTenant(mysql, `d${run}`), run)),
    hit: (run) => engine.restrict(withTenant(mysql, `e${run}`)),
  });
  await measureGain('other dialects, statements', {
    miss: (run) => engine.restrict(withStatement(mysql, `f${run}`)),
    hit: (run) => engine.restrict(withTenant(mysql, `g${run}`)),
  });
  const catalogs = Array.from({ length: RUNS + WARM_UP }, () => catalogOf(500));
  const large = catalogOf(500);
  await measureGain('catalogs and their indexes', {
    miss: (run) => engine.restrict({ ...postgres, catalog: catalogs[run] ?? large }),
    hit: (run) => engine.restrict({ ...withStatement(postgres, `h${run}`), catalog: large }),
  });
}

await measureTokens();
const engines = createEngines(20_000);
await measureEngines(engines.engineOf('o_1'));
await engines.stop();
await measureServiceCaches();
