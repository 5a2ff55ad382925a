import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** The environment of npm, with a registry that is unreachable. */
export function withoutRegistry(folder: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: folder,
    npm_config_cache: join(folder, 'cache'),
    npm_config_registry: 'http://127.0.0.1:1',
    npm_config_update_notifier: 'false',
  };
}

/** Packs a package of the workspace, and installs it alone into an empty project in a folder. */
export async function installAlone(name: string, folder: string): Promise<string> {
  const env = withoutRegistry(folder);
  const words = ['pack', '--workspace', name, '--pack-destination', folder, '--json'];
  const { stdout } = await run('npm', words, { cwd: ROOT, env });
  const filename = /"filename": "([^"]+)"/.exec(stdout)?.[1] ?? '';
  const project = join(folder, 'project');
  await mkdir(project);
  await writeFile(join(project, 'package.json'), '{ "type": "module", "private": true }');
  await run('npm', ['install', join(folder, filename)], { cwd: project, env });
  return project;
}

/** The folders of the packages that a project has. */
export async function installedIn(project: string): Promise<string[]> {
  const { stdout } = await run('npm', ['ls', '--all', '--parseable'], { cwd: project });
  return stdout.trim().split('\n').slice(1);
}

/** What a program in a project prints, which must be JSON. */
export async function evaluateIn(project: string, program: string): Promise<unknown> {
  const words = ['--input-type=module', '--eval', program];
  return JSON.parse((await run(process.execPath, words, { cwd: project })).stdout);
}

/** The module resolutions of TypeScript for Node and for bundlers, as options of the compiler. */
export const RESOLUTIONS = [
  ['NodeNext', ['--module', 'nodenext']],
  ['Bundler', ['--module', 'esnext', '--moduleResolution', 'bundler']],
] as const;

/** The compiler's errors for a program in a project, with the declarations of its packages checked too. */
export async function compileIn(
  project: string,
  program: string,
  resolution: readonly string[],
): Promise<string> {
  await writeFile(join(project, 'program.ts'), program);
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const strict = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--types', ''];
  const platform = ['--target', 'es2023', '--lib', 'es2023,dom'];
  const words = [compiler, ...strict, ...platform, ...resolution, 'program.ts'];
  return run(process.execPath, words, { cwd: project }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}
