import { AppError, type BatchMode, type BatchOp } from '@gatehouse/contract';
import type { CallContext } from '../callContext.js';
import { runCall } from '../dryRun/dryRun.js';
import { newKey } from '../ids.js';
import { retryOnConflict, WriteConflict } from '../retryOnConflict.js';
import { toAppError } from '../rpc/errors.js';
import { errorOf, rejectionOf, type Failure } from './batchErrors.js';

/** How to undo one operation. */
export interface Undoing<R> {
  /**
   * Takes the output of the operation, or that of the undo of a later operation on the same record. Changes
   * nothing that another request has changed since. Returns such an output if it restores a version.
   */
  undo(output: R): Promise<unknown>;
  /**
   * The version of the record that `undo` restores. The operation changes no other one, so that nothing that
   * another request writes between this read and the operation is lost.
   */
  version?: number;
}

/** One kind of operation of a batch, by its input and output. Its handler is that of single requests. */
export interface BatchVerb<I, R extends object> {
  /** The status of its success. */
  success: 200 | 201;
  run(input: I, context: CallContext): Promise<R>;
  /** Reads what is needed to undo the operation, before it runs. Absent for a deletion. */
  prepareUndo?(input: I, context: CallContext): Promise<Undoing<R>>;
  /** The record that an operation has written, if records have versions. */
  stateOf?(output: R): RecordState;
}

/** A record at one of its versions. */
export interface RecordState {
  id: string;
  version: number;
}

type Operation = { op: BatchOp };
type InputOf<O extends Operation, N extends BatchOp> = Omit<Extract<O, { op: N }>, 'op'>;

/** The kinds of operations. */
export interface BatchVerbs<O extends Operation, C extends object, U extends object, D extends object> {
  create: BatchVerb<InputOf<O, 'create'>, C>;
  update: BatchVerb<InputOf<O, 'update'>, U>;
  delete: BatchVerb<InputOf<O, 'delete'>, D>;
}

/** The result of one operation: the fields of its response, or its error. */
type Result<R> = { op: BatchOp; status: number; error?: ReturnType<typeof errorOf> } & Partial<R>;

/** The update that restores the fields of a change. */
export function undoUpdate<C extends object>(change: C, before: object): C {
  const changed = Object.keys(change).filter((field) => field in before);
  return { ...change, ...Object.fromEntries(changed.map((field) => [field, Reflect.get(before, field)])) };
}

/** An operation that has not begun by then gets UNAVAILABLE, because the call is about to time out. */
const TIME_MAX_MS = 8000;

/** One operation, as it is run. */
interface Step<R> {
  index: number;
  op: BatchOp;
  success: number;
  run(how?: { isDry?: boolean; version?: number | undefined }): Promise<R>;
  prepareUndo: (() => Promise<Undoing<R>>) | null;
  stateOf: ((output: R) => RecordState) | undefined;
}

function stepsOf<R extends object>(
  operations: readonly Operation[],
  verbs: Record<BatchOp, BatchVerb<object, R>>,
  context: CallContext,
): Step<R>[] {
  return operations.map(({ op, ...input }, index) => {
    const verb = verbs[op];
    const { prepareUndo } = verb;
    const own = { ...context, ifMatch: undefined, operation: operationOf(context, index) };
    const within = () => {
      if (Date.now() - context.now.getTime() < TIME_MAX_MS) return;
      throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
    };
    return {
      index,
      op,
      success: verb.success,
      async run({ isDry = false, version } = {}) {
        within();
        const ifMatch = version === undefined ? undefined : [version];
        return verb.run(input, isDry ? { ...own, validateOnly: true } : { ...own, ifMatch });
      },
      prepareUndo: prepareUndo ? () => prepareUndo(input, { ...own, operation: undefined }) : null,
      stateOf: verb.stateOf,
    };
  });
}

/** A repeated batch derives the same ids and secrets for each of its operations. */
function operationOf({ operation }: CallContext, index: number): CallContext['operation'] {
  return operation && { key: newKey(operation, `batch ${index}`) };
}

/** Runs steps one after the other. Each has its result, in the order of the steps. */
async function runEach<R extends object>(
  steps: readonly Step<R>[],
  { log }: CallContext,
  isDry = false,
): Promise<{ results: Result<R>[]; failures: Failure[] }> {
  const results: Result<R>[] = [];
  const failures: Failure[] = [];
  for (const { index, op, success, run } of steps) {
    try {
      results.push({ op, status: success, ...(await run({ isDry })) });
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.status >= 500)
        log.error({ err: error.cause ?? error, index }, 'an operation of a batch failed');
      failures.push({ index, error });
      results.push({ op, status: error.status, error: errorOf(error) } as Result<R>);
    }
  }
  return { results, failures };
}

/** The order of an atomic batch: deletions come last, because they cannot be undone. */
function deletionsLast<R>(steps: readonly Step<R>[]): Step<R>[] {
  return [...steps.filter(({ op }) => op !== 'delete'), ...steps.filter(({ op }) => op === 'delete')];
}

/** An operation that was done and can be undone. */
interface Undo<R> {
  index: number;
  output: R;
  undoing: Undoing<R>;
  /** What the operation has written. */
  state: RecordState | undefined;
}

const keyOf = (id: string, version: number) => JSON.stringify([id, version]);

/**
 * Undoes the newest first. Returns the indexes of the operations that remain done. If several operations
 * wrote one record, the undo of each restores the content of a version under a new one: `restored` has the
 * output of that write, by the version that it restores.
 */
async function undoAll<R>(undos: readonly Undo<R>[], { log }: CallContext): Promise<number[]> {
  const left: number[] = [];
  const restored = new Map<string, R>();
  for (const { index, output, undoing, state } of undos.toReversed()) {
    const { undo, version } = undoing;
    const latest = state && restored.get(keyOf(state.id, state.version));
    try {
      const result = await undo(latest ?? output);
      if (state && version !== undefined) restored.set(keyOf(state.id, version), result as R);
    } catch (err) {
      log.error({ err, index }, 'an operation of a batch could not be undone');
      left.push(index);
    }
  }
  return left;
}

/** Runs a step on the record that its undo restores. Returns its output and its undo, if it has one. */
async function runUndoably<R>({ index, run, prepareUndo, stateOf }: Step<R>) {
  if (prepareUndo === null) return { output: await run(), undo: null };
  return retryOnConflict(async () => {
    const undoing = await prepareUndo();
    const { version } = undoing;
    const output = await run({ version }).catch((error: unknown) => {
      const isChanged = version !== undefined && toAppError(error).code === 'PRECONDITION_FAILED';
      throw isChanged ? new WriteConflict() : error;
    });
    return { output, undo: { index, output, undoing, state: stateOf?.(output) } };
  });
}

/**
 * Makes the changes of steps that were checked. After the first deletion nothing can be undone: the remaining
 * deletions are made as well, and those that fail are reported.
 */
async function writeAll<R extends object>(
  steps: readonly Step<R>[],
  context: CallContext,
): Promise<Result<R>[]> {
  const results: Result<R>[] = [];
  const undos: Undo<R>[] = [];
  const failures: Failure[] = [];
  let hasDeleted = false;
  for (const step of steps) {
    const { index, op, success } = step;
    try {
      const { output, undo } = await runUndoably(step);
      results[index] = { op, status: success, ...output };
      if (undo) undos.push(undo);
      else hasDeleted = true;
    } catch (thrown) {
      const failure = { index, error: toAppError(thrown) };
      if (!hasDeleted) throw rejectionOf([failure], await undoAll(undos, context));
      failures.push(failure);
    }
  }
  if (failures.length === 0) return results;
  const failed = new Set(failures.map(({ index }) => index));
  throw rejectionOf(
    failures,
    steps.map(({ index }) => index).filter((index) => !failed.has(index)),
  );
}

async function runAtomically<R extends object>(
  steps: readonly Step<R>[],
  context: CallContext,
): Promise<Result<R>[]> {
  const ordered = deletionsLast(steps);
  const checked = await runCall({ isDry: true }, () => runEach(ordered, context, true));
  if (checked.failures.length > 0) throw rejectionOf(checked.failures, []);
  return writeAll(ordered, context);
}

/**
 * Runs the operations of a batch by the handlers of single requests, each with the rights of the caller.
 *
 * `each`: one after the other in the order of the request, each with its result.
 *
 * `atomic`: first all of them in one dry run, which reads its own writes; if one fails, the batch is rejected
 * and nothing was written. Then all of them again, deletions last. If another request makes one fail now, the
 * ones before it are undone. A crash leaves the operations before it done.
 *
 * @throws the error of the first operation that failed, with a field error for each
 */
export async function runBatch<O extends Operation, C extends object, U extends object, D extends object>(
  { mode, operations }: { mode: BatchMode; operations: readonly O[] },
  verbs: BatchVerbs<O, C, U, D>,
  context: CallContext,
): Promise<{ results: Result<C | U | D>[] }> {
  // The operation of a step determines its verb, which the types of a loop cannot express.
  const any = verbs as unknown as Record<BatchOp, BatchVerb<object, C | U | D>>;
  const steps = stepsOf(operations, any, context);
  if (mode === 'each') return { results: (await runEach(steps, context)).results };
  return { results: await runAtomically(steps, context) };
}
