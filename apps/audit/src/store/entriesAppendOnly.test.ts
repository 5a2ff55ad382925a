import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SOURCE = fileURLToPath(new URL('..', import.meta.url));
/** What changes or removes documents, by the names that the driver gives it. */
const CHANGES =
  /\.(update|delete|replace|findOneAnd|findAndModify|bulkWrite|drop|rename|\$?out|\$?merge)\w*\(/;

it('only the store of the entries knows their collection, and nothing in it changes or removes a document', async () => {
  const names = await readdir(SOURCE, { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const texts = await Promise.all(
    files.map(async (name) => [name, await readFile(`${SOURCE}/${name}`, 'utf8')] as const),
  );
  const knowing = texts.filter(
    ([name, text]) => !name.startsWith('testing/') && /\bENTRIES\b|[(=] ?'auditEvents'/.test(text),
  );
  expect(knowing.map(([name]) => name).toSorted()).toEqual(['store/entries.ts', 'store/entriesIndexes.ts']);
  expect(knowing.filter(([, text]) => CHANGES.test(text))).toEqual([]);
});
