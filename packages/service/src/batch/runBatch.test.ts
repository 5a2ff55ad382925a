import { AppError, type BatchMode, type BatchOp } from '@gatehouse/contract';
import { randomRuns, startTestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { requireVersion, type CallContext } from '../callContext.js';
import { createLog } from '../log.js';
import { duplicateKeysOf } from '../mongo/databaseErrors.js';
import { PlatformCollection } from '../mongo/platformCollection.js';
import { runBatch, undoUpdate, type BatchVerbs } from './runBatch.js';

interface Named {
  _id: string;
  name: string;
}
type Operation = { [N in BatchOp]: { op: N; id: string; name?: string } }[BatchOp];

const mongo = await startTestMongo();
const stored = mongo.databases.of('batches').collection<Named>('records');
const records = new PlatformCollection<Named>(mongo.databases.of('batches'), 'records');
beforeEach(async () => void (await stored.deleteMany({})));
afterAll(() => mongo[Symbol.asyncDispose]());

const log = createLog('batches', { LOG_LEVEL: 'silent' });
const context = { log, now: new Date(), requestId: 'r', token: '' } as unknown as CallContext;
const fresh = () => ({ ...context, now: new Date() });

async function create({ id, name = '' }: { id: string; name?: string }) {
  await records.insertOne({ _id: id, name }).catch((error: unknown) => {
    throw duplicateKeysOf(error) ? new AppError('CONFLICT') : error;
  });
  return { id, name };
}
async function get(id: string) {
  const found = await records.findOne({ _id: id });
  if (!found) throw new AppError('NOT_FOUND');
  return { id, name: found.name };
}
async function update({ id, name = '' }: { id: string; name?: string }) {
  if (!(await records.updateOne({ _id: id }, { update: { $set: { name } } })))
    throw new AppError('NOT_FOUND');
  return { id, name };
}
async function remove(id: string) {
  if ((await records.deleteMany({ _id: id })) === 0) throw new AppError('NOT_FOUND');
  return { deletedId: id };
}

/** The verbs. `fail` has another request take a record between the check and the write. */
function verbsWith(fail: (id: string, op: BatchOp) => boolean = () => false) {
  const attempt = async <T>(
    op: BatchOp,
    id: string,
    own: CallContext,
    work: () => Promise<T>,
  ): Promise<T> => {
    if (!own.validateOnly && fail(id, op)) throw new AppError('CONFLICT');
    return work();
  };
  return {
    create: {
      success: 201,
      run: (input, own) => attempt('create', input.id, own, () => create(input)),
      prepareUndo: async ({ id }) => ({ undo: () => remove(id) }),
    },
    update: {
      success: 200,
      run: (input, own) => attempt('update', input.id, own, () => update(input)),
      async prepareUndo(input) {
        const former = undoUpdate(input, await get(input.id));
        return { undo: () => update(former) };
      },
    },
    delete: { success: 200, run: ({ id }, own) => attempt('delete', id, own, () => remove(id)) },
  } satisfies BatchVerbs<Operation, object, object, object>;
}

const readAll = () => stored.find().sort({ _id: 1 }).toArray();
const run = (mode: BatchMode, operations: readonly Operation[], verbs = verbsWith()) =>
  runBatch({ mode, operations }, verbs, fresh());

const anyId = fc.constantFrom('a', 'b', 'c', 'd');
const operation = fc.record({
  op: fc.constantFrom<BatchOp>('create', 'update', 'delete'),
  id: anyId,
  name: fc.constantFrom('one', 'two'),
}) as fc.Arbitrary<Operation>;
const some = fc.array(operation, { minLength: 1, maxLength: 6 });
const given = fc.uniqueArray(anyId, { maxLength: 4 });
const runs = { numRuns: randomRuns(200) };

async function begin(ids: readonly string[]): Promise<Named[]> {
  await stored.deleteMany({});
  for (const _id of ids) await stored.insertOne({ _id, name: 'first' });
  return readAll();
}

describe('a batch', () => {
  it('in mode each has the results of its operations one by one', async () => {
    await fc.assert(
      fc.asyncProperty(given, some, async (ids, operations) => {
        await begin(ids);
        const expected: number[] = [];
        for (const one of operations) {
          const { results } = await run('each', [one]);
          expected.push(...results.map(({ status }) => status));
        }
        const after = await readAll();
        await begin(ids);
        const { results } = await run('each', operations);
        expect(results.map(({ status }) => status)).toEqual(expected);
        expect(results.map(({ op }) => op)).toEqual(operations.map(({ op }) => op));
        expect(await readAll()).toEqual(after);
      }),
      runs,
    );
  });

  it('in mode atomic makes all changes, deletions last, or none', async () => {
    await fc.assert(
      fc.asyncProperty(given, some, async (ids, operations) => {
        const before = await begin(ids);
        const outcome = await run('atomic', operations).catch((error: unknown) => error);
        const present = await readAll();
        const deletions = operations.filter(({ op }) => op === 'delete');
        const ordered = [...operations.filter(({ op }) => op !== 'delete'), ...deletions];
        await begin(ids);
        const { results } = await run('each', ordered);
        const isPossible = results.every(({ error }) => error === undefined);
        expect(outcome instanceof AppError).toBe(!isPossible);
        expect(present).toEqual(isPossible ? await readAll() : before);
      }),
      runs,
    );
  });

  it('in mode atomic undoes what it did when an operation before the deletions fails', async () => {
    await fc.assert(
      fc.asyncProperty(given, some, fc.nat(5), async (ids, operations, at) => {
        const before = await begin(ids);
        const failing = operations[at % operations.length];
        const { op, id: failingId } = failing ?? { op: 'create', id: 'a' };
        fc.pre(op !== 'delete');
        const verbs = verbsWith((one, verb) => one === failingId && verb === op);
        await expect(run('atomic', operations, verbs)).rejects.toBeInstanceOf(AppError);
        expect(await readAll()).toEqual(before);
      }),
      runs,
    );
  });

  it('in mode atomic makes the other deletions after one was made, and names what was done', async () => {
    await begin(['a', 'b', 'c']);
    const operations: Operation[] = [
      { op: 'delete', id: 'a' },
      { op: 'create', id: 'd', name: 'new' },
      { op: 'delete', id: 'b' },
      { op: 'delete', id: 'c' },
    ];
    const verbs = verbsWith((one) => one === 'b');
    const error: unknown = await run('atomic', operations, verbs).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'CONFLICT',
      fieldErrors: [
        { field: 'operations[2]', code: 'conflict' },
        { field: 'operations[1]', message: 'was done and remains' },
        { field: 'operations[0]', message: 'was done and remains' },
        { field: 'operations[3]', message: 'was done and remains' },
      ],
    });
    expect((await readAll()).map(({ _id }) => _id)).toEqual(['b', 'd']);
  });

  it('in mode atomic keeps what another request wrote before its update', async () => {
    const record = { name: 'first', version: 1 };
    const write = (name: string, own: CallContext) => {
      requireVersion(own, record.version);
      if (own.validateOnly) return { name, version: 1 };
      Object.assign(record, { name, version: record.version + 1 });
      return { ...record };
    };
    let reads = 0;
    const verbs = {
      ...verbsWith((one) => one === 'failing'),
      update: {
        success: 200,
        run: async ({ name = '' }, own) => write(name, own),
        async prepareUndo(_, own) {
          const { name, version } = record;
          reads += 1;
          if (reads === 1) write('of another', context);
          return {
            version,
            undo: (output) => Promise.resolve(write(name, { ...own, ifMatch: [output.version] })),
          };
        },
      },
    } satisfies BatchVerbs<Operation, object, typeof record, object>;
    const operations: Operation[] = [
      { op: 'update', id: 'a', name: 'second' },
      { op: 'create', id: 'failing' },
    ];
    await expect(runBatch({ mode: 'atomic', operations }, verbs, fresh())).rejects.toMatchObject({
      code: 'CONFLICT',
      fieldErrors: [{ field: 'operations[1]' }],
    });
    expect(record.name).toBe('of another');
  });

  describe('of several operations on one record with versions', () => {
    interface Versioned {
      id: string;
      name: string;
      version: number;
    }
    const versioned = new Map<string, Versioned>();
    const write = (id: string, name: string, own: CallContext) => {
      const version = versioned.get(id)?.version ?? 0;
      if (version > 0) requireVersion(own, version);
      const written = { id, name, version: version + 1 };
      if (!own.validateOnly) versioned.set(id, written);
      return written;
    };
    /** The verbs. Before the operation on `failing` fails, another request makes `change`. */
    const verbsOf = (change: () => void) =>
      ({
        create: {
          success: 201,
          async run({ id, name = '' }, own) {
            if (id !== 'failing') return write(id, name, own);
            if (own.validateOnly) return { id, name, version: 1 };
            change();
            throw new AppError('CONFLICT');
          },
          stateOf: ({ id, version }) => ({ id, version }),
          prepareUndo: async (_, own) => ({
            async undo({ id, version }) {
              requireVersion({ ...own, ifMatch: [version] }, versioned.get(id)?.version ?? 0);
              versioned.delete(id);
            },
          }),
        },
        update: {
          success: 200,
          run: async ({ id, name = '' }, own) => write(id, name, own),
          stateOf: ({ id, version }) => ({ id, version }),
          async prepareUndo({ id }, own) {
            const { name = '', version = 0 } = versioned.get(id) ?? {};
            return {
              version,
              undo: async (output) => write(id, name, { ...own, ifMatch: [output.version] }),
            };
          },
        },
        delete: { success: 200, run: async () => ({}) },
      }) satisfies BatchVerbs<Operation, Versioned, Versioned, object>;
    const operations: Operation[] = [
      { op: 'update', id: 'a', name: 'second' },
      { op: 'create', id: 'b', name: 'new' },
      { op: 'update', id: 'a', name: 'third' },
      { op: 'update', id: 'b', name: 'changed' },
      { op: 'update', id: 'a', name: 'fourth' },
      { op: 'create', id: 'failing' },
    ];
    const runFailing = (change: () => void = () => {}, made = operations) =>
      runBatch({ mode: 'atomic', operations: made }, verbsOf(change), fresh());
    beforeEach(() => {
      versioned.clear();
      versioned.set('a', { id: 'a', name: 'first', version: 1 });
    });

    it('restored only the state before the last of them', async () => {
      const rejection = { code: 'CONFLICT', fieldErrors: [{ field: 'operations[5]' }] };
      await expect(runFailing()).rejects.toMatchObject(rejection);
      expect([...versioned.values()]).toEqual([{ id: 'a', name: 'first', version: 7 }]);
    });

    it('restores all records, whatever the order of creations and updates', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyId, { maxLength: 8 }), async (ids) => {
          versioned.clear();
          for (const id of ['a', 'b']) versioned.set(id, { id, name: 'first', version: 1 });
          const drawn = ids.map((id, index): Operation => {
            const isNew = !versioned.has(id) && ids.indexOf(id) === index;
            return { op: isNew ? 'create' : 'update', id, name: `${index}` };
          });
          await expect(
            runFailing(() => {}, [...drawn, { op: 'create', id: 'failing' }]),
          ).rejects.toMatchObject({ code: 'CONFLICT' });
          const names = [...versioned.values()].map(({ id, name }) => [id, name]);
          expect(names).toEqual([
            ['a', 'first'],
            ['b', 'first'],
          ]);
        }),
        runs,
      );
    });

    it('keeps what another request wrote after them, and names those that remain', async () => {
      const names = ['operations[5]', 'operations[4]', 'operations[2]', 'operations[0]'];
      const running = runFailing(() => write('a', 'of another', context));
      await expect(running).rejects.toMatchObject({ fieldErrors: names.map((field) => ({ field })) });
      expect([...versioned.values()]).toEqual([{ id: 'a', name: 'of another', version: 5 }]);
    });
  });

  it('names each operation that fails its check, and every field in it', async () => {
    const error: unknown = await run('atomic', [
      { op: 'create', id: 'a' },
      { op: 'create', id: 'a' },
      { op: 'delete', id: 'z' },
    ]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'CONFLICT',
      fieldErrors: [{ field: 'operations[1]' }, { field: 'operations[2]', code: 'reference' }],
    });
    expect(await readAll()).toEqual([]);
  });

  it('begins no operation when the call is about to time out', async () => {
    const late = { ...context, now: new Date(Date.now() - 60_000) };
    const operations: Operation[] = [{ op: 'create', id: 'a' }];
    const { results } = await runBatch({ mode: 'each', operations }, verbsWith(), late);
    expect(results).toMatchObject([{ status: 503, error: { code: 'UNAVAILABLE' } }]);
    await expect(runBatch({ mode: 'atomic', operations }, verbsWith(), late)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
    expect(await readAll()).toEqual([]);
  });
});
