/** Runs the calls that a compile thread receives. `worker.ts` imports it. */
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import type { Catalog, SqlDialect } from '@gatehouse/contract';
import { refusalOfSize } from '../logic/bounds.js';
import type { Restriction, SqlEngine } from '../logic/restriction.js';
import { createPolyglot, createPostgres } from './localEngines.js';
import type { CompileCall, CompileMessage, CompileReply } from './thread.js';

/** The size limit of a result. */
const RESULT_BYTES_MAX = 16 * 1024 * 1024;

const catalogs = new Map<number, Catalog>();
let postgres: Promise<SqlEngine> | null = null;
let polyglot: Promise<SqlEngine> | null = null;

/** Loads an engine. The time limit of the call that needs it does not include this. */
async function load(create: () => Promise<SqlEngine>): Promise<SqlEngine> {
  send({ kind: 'loading' });
  const engine = await create();
  send({ kind: 'loaded' });
  return engine;
}

/** Each engine takes tens of megabytes, so it starts with its first call. */
function engineOf(dialect: SqlDialect): Promise<SqlEngine> {
  if (dialect === 'postgres') return (postgres ??= load(createPostgres));
  return (polyglot ??= load(createPolyglot));
}

function catalogOf(key: number): Catalog {
  const catalog = catalogs.get(key);
  if (!catalog) throw new Error(`The catalog ${key} was not sent`);
  return catalog;
}

async function answer(call: CompileCall): Promise<unknown> {
  switch (call.method) {
    case 'restrict': {
      const [{ catalog, ...request }] = call.args;
      const engine = await engineOf(request.dialect);
      return engine.restrict({ ...request, catalog: catalog === null ? null : catalogOf(catalog) });
    }
    case 'checkExpression':
      return (await engineOf(call.args[1])).checkExpression(...call.args);
    case 'analyzeExpression':
      return (await engineOf(call.args[1])).analyzeExpression(...call.args);
    case 'printExpression':
      return (await engineOf(call.args[2])).printExpression(...call.args);
  }
}

/** The result as JSON. A result above the size limit never reaches the main thread. */
function serialize({ method }: CompileCall, result: unknown): string {
  const json = JSON.stringify(result);
  if (Buffer.byteLength(json) <= RESULT_BYTES_MAX) return json;
  if (method === 'printExpression') return JSON.stringify(null);
  if (method !== 'restrict') throw new Error('The result is too large');
  return JSON.stringify(refusalOfSize(RESULT_BYTES_MAX) satisfies Restriction);
}

async function receive({ call, catalog, evicted }: CompileMessage): Promise<void> {
  for (const key of evicted) catalogs.delete(key);
  if (catalog) catalogs.set(catalog.key, catalog.catalog);
  const json = serialize(call, await answer(call));
  send({ kind: 'result', json, externalBytes: getHeapStatistics().external_memory });
}

function send(reply: CompileReply): void {
  parentPort?.postMessage(reply, []);
}

// Calls run in sequence, so that the time limit applies to the running one. A call that throws ends the
// thread, because its remaining state is unknown.
let last = Promise.resolve();
parentPort?.on('message', (message: CompileMessage) => {
  last = last.then(() => receive(message));
});
send({ kind: 'started' });
