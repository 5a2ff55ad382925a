import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What one work inside the policy service takes, in milliseconds. */
export interface CompileTimes {
  name: string;
  median: number;
  p99: number;
}

interface Output {
  files: { groups: { benchmarks: CompileTimes[] }[] }[];
}

/** Runs the benchmarks that stand beside the code of the policy service, in a process of their own. */
export async function measureCompile(): Promise<CompileTimes[]> {
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-compile-'));
  try {
    const output = join(directory, 'times.json');
    const manifest = createRequire(join(ROOT, 'package.json')).resolve('vitest/package.json');
    const program = join(dirname(manifest), 'vitest.mjs');
    const selected = ['--run', '--project', 'parts', '--outputJson', output, 'apps/policy'];
    await promisify(execFile)(process.execPath, [program, 'bench', ...selected], { cwd: ROOT });
    const { files } = JSON.parse(await readFile(output, 'utf8')) as Output;
    return files.flatMap(({ groups }) => groups.flatMap(({ benchmarks }) => benchmarks));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The times as a part of the results. */
export function reportCompile(times: CompileTimes[]): string {
  const rows = times.map(({ name, median, p99 }) => `| ${name} | ${median.toFixed(3)} | ${p99.toFixed(3)} |`);
  return `
Resolving and compiling in the policy service, warm: five rules on a statement of three tables. The rules are parsed and the catalog is
indexed; a statement seen before, with the same rules and values, is answered from memory.

| work | median ms | p99 ms |
|---|---|---|
${rows.join('\n')}
`;
}
