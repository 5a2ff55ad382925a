import type { CallContext } from '@gatehouse/service';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Dependencies } from '../dependencies.js';
import { EMPTY_TEMPLATE } from '../templates/logic/modelTemplate.js';
import { readCopySource } from '../transfer/readCopies.js';
import { createFactsLoader } from './loadFacts.js';

const COUNT = 10;
const template = JSON.stringify(EMPTY_TEMPLATE) + ' '.repeat(1024 * 1024);
const ids = (prefix: string) => Array.from({ length: COUNT }, (_, n) => `${prefix}_${n}`);
const recordsOf = (prefix: string) => ids(prefix).map((_id) => ({ _id, name: _id, template }));
async function* scanOf(prefix: string) {
  yield* recordsOf(prefix);
}

const stores = {
  domains: { scanWhole: () => scanOf('dom'), scanWholeByIds: () => scanOf('dom') },
  datamodels: { scanWhole: () => scanOf('dm'), scanWholeByIds: () => scanOf('dm') },
  connections: { list: async () => [], listByIds: async () => [] },
  assistantProfiles: { listNames: async () => [] },
  catalogs: { listParts: async () => [], listChangeSizes: async () => new Map() },
};
const deps = { stores } as unknown as Dependencies;
const context = {
  principal: { kind: 'orgUser', role: 'ADMIN', organizationId: 'o_1', projectId: 'p_1' },
} as CallContext;

/** The most templates that the operation parses in one turn of the event loop, and in all. */
async function countParsed(operation: () => Promise<unknown>): Promise<{ most: number; all: number }> {
  const byTurn = new Map<number, number>();
  let turn = 0;
  let isDone = false;
  const countTurn = () => {
    turn += 1;
    if (!isDone) setImmediate(countTurn);
  };
  countTurn();
  const parse = JSON.parse.bind(JSON);
  vi.spyOn(JSON, 'parse').mockImplementation((text) => {
    if (text === template) byTurn.set(turn, (byTurn.get(turn) ?? 0) + 1);
    return parse(text) as unknown;
  });
  await operation();
  isDone = true;
  const counts = [...byTurn.values()];
  return { most: Math.max(...counts), all: counts.reduce((sum, count) => sum + count, 0) };
}

afterEach(() => void vi.restoreAllMocks());

describe('large templates are parsed in one turn of the event loop each', () => {
  it('by the facts of a project', async () => {
    const load = createFactsLoader(deps);
    expect(await countParsed(() => load({ known: [] }, context))).toEqual({ most: 1, all: 2 * COUNT });
  });

  it('by concurrent calls of one organization', async () => {
    const load = createFactsLoader(deps);
    const both = () => Promise.all([load({ known: [] }, context), load({ known: [] }, context)]);
    expect(await countParsed(both)).toEqual({ most: 1, all: 4 * COUNT });
  });

  it('by the source of copies', async () => {
    const input = {
      connectionIds: [],
      assistantProfileIds: [],
      domainIds: ids('dom'),
      datamodelIds: ids('dm'),
    };
    expect(await countParsed(() => readCopySource(deps, input, context))).toEqual({
      most: 1,
      all: 2 * COUNT,
    });
  });
});
