import type { JsonPatchOperation } from '@gatehouse/contract';
import { randomRuns, runToEnd } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffJson as diffInSteps, PATCH_LIMITS } from './jsonPatch.js';

/** Creates the patch synchronously. */
const diffJson = (...args: Parameters<typeof diffInSteps>) => runToEnd(diffInSteps(...args));

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

const jsonValues = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.parse(JSON.stringify(value)) as unknown);
const fieldsOf = (length: number, value: unknown) =>
  Object.fromEntries(Array.from({ length }, (_, n) => [`k${n}`, value]));
const pathCharactersOf = (patch: readonly JsonPatchOperation[]) =>
  patch.reduce((sum, { path }) => sum + path.length, 0);

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
    fc.assert(
      fc.property(jsonValues, jsonValues, (from, to) => {
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

  it('is found with few reads of a list in many lists', () => {
    let reads = 0;
    const items = Array.from({ length: 100 }, () => 1);
    const counted = new Proxy(items, {
      get(target, key, receiver) {
        if (typeof key === 'string' && /^\d+$/.test(key)) reads += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    const nest = (list: unknown) => Array.from({ length: 50 }).reduce((inner) => [0, inner, 0], list);
    const path = `${'/1'.repeat(50)}/99`;
    expect(diffJson(nest(counted), nest(items.with(99, 2)))).toEqual([{ op: 'replace', path, value: 2 }]);
    expect(reads).toBeLessThanOrEqual(2 * items.length);
  });

  it.each([
    ['fields of an object', fieldsOf(20_000, 2), [] as number[]],
    ['items of a list', Array.from({ length: 20_000 }, (_, n) => n), []],
    ['items of a list in a list that became longer', Array.from({ length: 20_000 }, (_, n) => n), [1]],
  ])('compares at most 1,000 %s in one step', (_, value, added) => {
    let reads = 0;
    const counted = new Proxy(value, {
      get(target, key, receiver) {
        reads += 1;
        return Reflect.get(target, key, receiver) as unknown;
      },
    });
    let longest = 0;
    for (const step of diffInSteps([counted], [value, ...added])) {
      expect(step).toBeUndefined();
      longest = Math.max(longest, reads);
      reads = 0;
    }
    expect(longest).toBeGreaterThan(0);
    expect(longest).toBeLessThanOrEqual(1000);
  });

  it.each([
    ['list', (n: number) => Array.from({ length: 20_000 }, () => n)],
    ['object', (n: number) => Object.fromEntries(Array.from({ length: 20_000 }, (_, key) => [`k${key}`, n]))],
  ])('replaces a whole %s that changed in more than 10,000 places', (_, valueOf) => {
    const to = { a: valueOf(2), b: 1 };
    expect(diffJson({ a: valueOf(1), b: 1 }, to)).toEqual([{ op: 'replace', path: '/a', value: to.a }]);
  });
});

describe('the limits of a patch', () => {
  it('never change what the patch transforms a value into', () => {
    const limits = fc.record({
      operations: fc.integer({ min: 1, max: 6 }),
      pathCharacters: fc.integer({ min: 0, max: 40 }),
    });
    fc.assert(
      fc.property(jsonValues, jsonValues, limits, (from, to, each) => {
        const patch = diffJson(from, to, each);
        expect(applyPatch(from, patch)).toEqual(to);
        expect(patch.length).toBeLessThanOrEqual(each.operations);
        expect(pathCharactersOf(patch)).toBeLessThanOrEqual(each.pathCharacters);
      }),
      { numRuns: randomRuns(1000) },
    );
  });

  it('replace the smallest value whose operations exceed them', () => {
    const from = { a: 1, b: { c: [1, 2, 3], d: 1 } };
    const to = { a: 2, b: { c: [4, 5, 6], d: 2 } };
    const patchWith = (limits: Partial<typeof PATCH_LIMITS>) =>
      diffJson(from, to, { ...PATCH_LIMITS, ...limits }).map(({ path }) => path);
    expect(patchWith({})).toEqual(['/a', '/b/c/0', '/b/c/1', '/b/c/2', '/b/d']);
    expect(patchWith({ operations: 3 })).toEqual(['/a', '/b/c', '/b/d']);
    expect(patchWith({ operations: 2 })).toEqual(['/a', '/b']);
    expect(patchWith({ operations: 1 })).toEqual(['']);
    expect(patchWith({ pathCharacters: '/a/b/c/b/d'.length })).toEqual(['/a', '/b/c', '/b/d']);
    expect(patchWith({ pathCharacters: '/a/b'.length })).toEqual(['/a', '/b']);
    expect(patchWith({ pathCharacters: 0 })).toEqual(['']);
  });

  const key = 'k'.repeat(32 * 1024);
  it.each([
    ['items', (value: number) => ({ [key]: Array.from({ length: 2000 }, () => value) })],
    [
      'fields',
      (value: number) => ({
        [key]: Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [`f_${n}`, value])),
      }),
    ],
    [
      'lists in a list',
      (value: number) => ({
        [key]: Array.from({ length: 90 }, () => Array.from({ length: 90 }, () => value)),
      }),
    ],
  ])('bound the characters of the paths of %s below a long key', (_, valueOf) => {
    const patch = diffJson(valueOf(1), valueOf(2));
    expect(pathCharactersOf(patch)).toBeLessThanOrEqual(PATCH_LIMITS.pathCharacters);
    expect(patch).toEqual([{ op: 'replace', path: `/${key}`, value: valueOf(2)[key] }]);
  });

  it('also bound a removal and an addition of many items', () => {
    const list = (length: number) => ({ [key]: Array.from({ length }, (_, n) => n), other: 1 });
    for (const [from, to] of [
      [list(1), list(2000)],
      [list(2000), list(1)],
    ] as const)
      expect(diffJson(from, to)).toEqual([{ op: 'replace', path: `/${key}`, value: to[key] }]);
  });
});
