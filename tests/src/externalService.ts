import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '@gatehouse/service';
import { repository } from './docCommands.js';

const run = promisify(execFile);

/** The first block of TypeScript of a page. */
async function readProgram(page: string): Promise<string> {
  const [, program] = /^```ts\n([^]*?)^```$/m.exec(await readFile(join(repository, page), 'utf8')) ?? [];
  if (program === undefined) throw new Error(`${page} has no block of TypeScript`);
  return program;
}

/**
 * Compiles the program of a page with the compiler options of the project, and runs it in a process of its
 * own. The folder is outside every workspace; it finds the packages as a project does that installed them.
 */
export async function runExternalService(page: string, environment: Record<string, string>) {
  const program = await readProgram(page);
  const parent = join(repository, 'node_modules/.cache');
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, 'external-service-'));
  try {
    const options = { composite: false, declaration: false, declarationMap: false, sourceMap: false };
    const config = {
      extends: join(repository, 'tsconfig.base.json'),
      compilerOptions: { ...options, rootDir: '.', outDir: 'dist', tsBuildInfoFile: null },
      include: ['main.ts'],
    };
    await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    await writeFile(join(folder, 'main.ts'), program);
    await run(process.execPath, [join(repository, 'node_modules/typescript/bin/tsc'), '-p', folder]);
    const env = childEnvironment(environment);
    const { stdout } = await run(process.execPath, [join(folder, 'dist/main.js')], { env, timeout: 60_000 });
    return { lines: program.trim().split('\n').length, output: stdout };
  } finally {
    await rm(folder, { recursive: true });
  }
}
