import type { JsonPatchOperation } from '@gatehouse/contract';
import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffJson } from './jsonPatch.js';

/** Applies a patch by RFC 6902. It does not use the library, so that it checks the library too. */
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
  ] as const)('from %j to %j is %j', (from, to, patch) => {
    expect(diffJson(from, to)).toEqual(patch);
  });

  it('transforms any value into any other, and is empty for equal values', () => {
    const values = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    fc.assert(
      fc.property(values, values, (from, to) => {
        expect(applyPatch(from, diffJson(from, to))).toEqual(to);
        expect(diffJson(from, structuredClone(from))).toEqual([]);
      }),
      { numRuns: randomRuns(500) },
    );
  });

  it('is short when a long list changed in one place', () => {
    const from = Array.from({ length: 100_000 }, (_, n) => ({ n }));
    const to = from.toSpliced(50_000, 1);
    expect(diffJson(from, to)).toEqual([{ op: 'remove', path: '/50000' }]);
  });

  it.each([
    ['list', (n: number) => Array.from({ length: 20_000 }, () => n)],
    ['object', (n: number) => Object.fromEntries(Array.from({ length: 20_000 }, (_, key) => [`k${key}`, n]))],
  ])('replaces a whole %s that changed in more than 10,000 places', (_, valueOf) => {
    const to = { a: valueOf(2), b: 1 };
    expect(diffJson({ a: valueOf(1), b: 1 }, to)).toEqual([{ op: 'replace', path: '/a', value: to.a }]);
  });
});
