import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('../..', import.meta.url));
/** The driver's functions that change or remove documents. */
const CHANGES =
  /\.(update|delete|replace|findOneAnd|findAndModify|bulkWrite|drop|rename|\$?out|\$?merge)\w*\(/;

it('only the store of the entries uses their collection, and it only inserts documents', async () => {
  const names = await readdir(SOURCE, { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const texts = await Promise.all(
    files.map(async (name) => [name, await readFile(`${SOURCE}/${name}`, 'utf8')] as const),
  );
  const knowing = texts.filter(
    ([name, text]) => !name.startsWith('testing/') && /\bENTRIES\b|[(=] ?'auditEvents'/.test(text),
  );
  expect(knowing.map(([name]) => name).toSorted()).toEqual(['log/store/entries.ts']);
  expect(knowing.filter(([, text]) => CHANGES.test(text))).toEqual([]);
});
