import type { JsonPatchOperation } from '@gatehouse/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffJson } from './jsonPatch.js';

/** Applies a patch as RFC 6902 says: a reading of its own, so that both sides have to agree. */
function applyPatch(document: unknown, patch: readonly JsonPatchOperation[]): unknown {
  const root = { '': structuredClone(document) };
  for (const operation of patch) {
    const steps = operation.path.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = steps.pop() ?? '';
    let parent: unknown = root;
    for (const step of steps) parent = (parent as Record<string, unknown>)[step];
    if (Array.isArray(parent)) {
      const index = Number(last);
      if (operation.op === 'remove') parent.splice(index, 1);
      else parent.splice(index, operation.op === 'add' ? 0 : 1, operation.value);
    } else if (operation.op === 'remove') {
      Reflect.deleteProperty(parent as object, last);
    } else {
      Object.defineProperty(parent, last, {
        value: operation.value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
  }
  return root[''];
}

describe('the patch between two values', () => {
  it.each([
    [{ a: 1 }, { a: 1 }, []],
    [{ a: 1 }, { a: 2 }, [{ op: 'replace', path: '/a', value: 2 }]],
    [{ 'a/~': 1 }, {}, [{ op: 'remove', path: '/a~1~0' }]],
    [[1, 2, 3], [1, 3], [{ op: 'remove', path: '/1' }]],
    [[1, 3], [1, 2, 3], [{ op: 'add', path: '/1', value: 2 }]],
    [{ a: { b: [{ c: 1 }] } }, { a: { b: [{ c: 2 }] } }, [{ op: 'replace', path: '/a/b/0/c', value: 2 }]],
    [{ a: [] }, { a: {} }, [{ op: 'replace', path: '/a', value: {} }]],
    [{ a: null }, {}, [{ op: 'remove', path: '/a' }]],
    [1, null, [{ op: 'replace', path: '', value: null }]],
  ] as const)('of %j and %j is %j', (from, to, patch) => {
    expect(diffJson(from, to)).toEqual(patch);
  });

  it('makes the one of the other, whatever they are, and is empty for the same', () => {
    const values = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    fc.assert(
      fc.property(values, values, (from, to) => {
        expect(applyPatch(from, diffJson(from, to))).toEqual(to);
        expect(diffJson(from, structuredClone(from))).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  it('is short where a long list has changed in one place', () => {
    const from = Array.from({ length: 100_000 }, (_, n) => ({ n }));
    const to = from.toSpliced(50_000, 1);
    expect(diffJson(from, to)).toEqual([{ op: 'remove', path: '/50000' }]);
  });
});
