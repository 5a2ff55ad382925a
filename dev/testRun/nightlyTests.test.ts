import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { nightlyTests } from './nightlyTests.mjs';

it('names each nightly test once, in order, and only files that exist', () => {
  const repository = path.resolve(import.meta.dirname, '../..');
  expect(nightlyTests).toEqual([...new Set(nightlyTests)].toSorted());
  expect(nightlyTests.filter((name) => !existsSync(path.join(repository, name)))).toEqual([]);
});
