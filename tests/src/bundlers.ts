import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { build as vite } from 'vite';
import webpack from 'webpack';

/** Bundles a module of a project for browsers, minified, and returns the code. */
type Bundler = (project: string, entry: string) => Promise<string>;

async function bundleByEsbuild(project: string, entry: string): Promise<string> {
  // Without the service that the asynchronous function leaves running.
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    absWorkingDir: project,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
}

async function bundleByVite(project: string, entry: string): Promise<string> {
  const result = await vite({
    root: project,
    configFile: false,
    logLevel: 'error',
    build: {
      write: false,
      // The exports of the entry are what is measured.
      rollupOptions: { input: entry, preserveEntrySignatures: 'strict' },
    },
  });
  const outputs = [result].flat().flatMap((one) => ('output' in one ? one.output : []));
  return outputs.map((output) => ('code' in output ? output.code : '')).join('');
}

async function bundleByWebpack(project: string, entry: string): Promise<string> {
  const folder = join(project, 'webpack');
  const compiler = webpack({
    context: project,
    entry,
    mode: 'production',
    target: 'web',
    experiments: { outputModule: true },
    output: { path: folder, filename: 'bundle.js', library: { type: 'module' } },
  });
  await new Promise<void>((resolve, reject) => {
    compiler?.run((error, stats) => {
      const fault = error ?? (stats?.hasErrors() === true ? new Error(stats.toString()) : null);
      compiler.close(() => (fault ? reject(fault) : resolve()));
    });
  });
  return readFile(join(folder, 'bundle.js'), 'utf8');
}

const BUNDLERS = { esbuild: bundleByEsbuild, Vite: bundleByVite, webpack: bundleByWebpack } as const;
export const BUNDLER_NAMES = Object.keys(BUNDLERS) as (keyof typeof BUNDLERS)[];

/** Bundles all exports of a package that is installed in a project. */
export async function bundleAllOf(
  project: string,
  packageName: string,
  bundler: keyof typeof BUNDLERS,
): Promise<string> {
  const entry = join(project, 'entry.js');
  await writeFile(entry, `export * from '${packageName}';\n`);
  const bundle: Bundler = BUNDLERS[bundler];
  return bundle(project, entry);
}
