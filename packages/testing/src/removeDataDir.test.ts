import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { removeDataDir } from './removeDataDir.js';

/** Writes to a folder for a second, as an engine that is ending, and stops once the folder is removed. */
const WRITER = `
  const { writeFileSync } = require('node:fs');
  const end = Date.now() + 1000;
  console.log('writes');
  for (let file = 0; Date.now() < end; file += 1) writeFileSync(process.argv[1] + '/later' + file, '');
`;
/** So many files take longer to remove than it takes to write another one. */
const FILES = 500;

it('removes a data directory while another process still writes there', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-remove-'));
  const engine = join(dataDir, 'engine');
  await mkdir(engine);
  await Promise.all(Array.from({ length: FILES }, (_, file) => writeFile(join(engine, `file${file}`), '')));
  const writer = spawn(process.execPath, ['-e', WRITER, engine], { stdio: ['ignore', 'pipe', 'ignore'] });
  const exited = once(writer, 'exit');
  await once(writer.stdout, 'data');
  await removeDataDir(dataDir);
  await exited;
  expect(existsSync(dataDir)).toBe(false);
});
