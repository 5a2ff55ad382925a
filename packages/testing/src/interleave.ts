import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { findAppError } from '@gatehouse/service';
import { Connection } from 'mongodb/lib/cmap/connection.js';

/** The operation whose commands are counted, and what is called before each. */
interface Counted {
  commands: number;
  before(command: number): Promise<void>;
}

const counted = new AsyncLocalStorage<Counted>();
let isPatched = false;

/** The driver reports its commands, but has no means to hold one back. */
function patchCommands(): void {
  if (isPatched) return;
  isPatched = true;
  const { command } = Connection.prototype;
  Connection.prototype.command = async function (...sent) {
    const current = counted.getStore();
    if (current !== undefined) {
      current.commands += 1;
      await current.before(current.commands);
    }
    return command.apply(this, sent);
  };
}

/** The outer operation continues after this time: the inner one may wait for a command that both share. */
const INNER_WAIT_MS = 2000;

/** The results of both operations. */
interface Interleaved<A, B> {
  outer: A;
  /** Undefined if the outer operation sends fewer commands. */
  inner: B | undefined;
  /** True if the inner operation ended before the outer one continued. */
  isInside: boolean;
}

/** Runs `inner` from begin to end before `outer` sends its n-th command to MongoDB. */
async function interleave<A, B>(
  outer: () => Promise<A>,
  inner: () => Promise<B>,
  at: number,
): Promise<Interleaved<A, B>> {
  patchCommands();
  // Not in the context of the outer operation, which may be a dry run.
  const runInner = AsyncResource.bind(inner);
  let running: Promise<B> | undefined;
  let isInside = false;
  const before = async (command: number) => {
    if (command !== at) return;
    running = runInner();
    const ended = running.then(() => true);
    isInside = await Promise.race([ended, sleep(INNER_WAIT_MS, false)]);
  };
  const result = await counted.run({ commands: 0, before }, outer);
  return { outer: result, inner: await running, isInside };
}

/** Two operations in a world of their own, which is created for each run. */
export interface Concurrent<W> {
  createWorld(): Promise<W>;
  outer(world: W): Promise<unknown>;
  inner(world: W): Promise<unknown>;
  /** What reads show afterwards. */
  stateOf(world: W): Promise<unknown>;
  /** The value as text, in which ids and times are the same in every world. */
  textOf(value: unknown, world: W): string;
}

/** The results of two operations and the state after them. */
export interface Effects {
  outer: string;
  inner: string;
  state: string;
}

/** Errors after which the caller of an operation has to read again, and nothing has changed. */
const REFUSALS = new Set(['MIGRATION_IN_PROGRESS', 'CONFLICT', 'PRECONDITION_FAILED', 'UNAVAILABLE']);

/**
 * Runs one operation with another one before each of its commands. Returns the effects that are those of
 * neither order of both operations, beside the effects of both orders. One of them may be refused if it has
 * then changed nothing. A run in which both operations wait for each other is not judged.
 */
export async function findAnomalies<W>(operations: Concurrent<W>) {
  const { createWorld, stateOf, textOf } = operations;
  const resultOf = (name: 'outer' | 'inner', world: W) => async (): Promise<string> => {
    try {
      return textOf(await operations[name](world), world);
    } catch (error) {
      const known = findAppError(error);
      if (known) return known.code;
      throw error;
    }
  };
  const stateText = async (world: W) => textOf(await stateOf(world), world);
  const inOrder = async (...names: ('outer' | 'inner')[]): Promise<Effects> => {
    const world = await createWorld();
    const results = { outer: '', inner: '' };
    for (const name of names) results[name] = await resultOf(name, world)();
    return { ...results, state: await stateText(world) };
  };
  const expected = [await inOrder('outer', 'inner'), await inOrder('inner', 'outer')];
  const alone = { outer: await inOrder('outer'), inner: await inOrder('inner') };
  const isExpected = ({ outer, inner, state }: Effects) => {
    const allowed = [...expected];
    if (REFUSALS.has(outer)) allowed.push({ ...alone.inner, outer });
    if (REFUSALS.has(inner)) allowed.push({ ...alone.outer, inner });
    return allowed.some((each) => each.outer === outer && each.inner === inner && each.state === state);
  };

  const anomalies: (Effects & { at: number })[] = [];
  for (let at = 1; ; at += 1) {
    const world = await createWorld();
    const run = await interleave(resultOf('outer', world), resultOf('inner', world), at);
    const { outer, inner, isInside } = run;
    if (inner === undefined) return { runs: at - 1, expected, anomalies };
    if (!isInside) continue;
    const effects = { outer, inner, state: await stateText(world) };
    if (!isExpected(effects)) anomalies.push({ at, ...effects });
  }
}
