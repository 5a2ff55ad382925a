import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { workspaceImports } from './boundaries.mjs';
import {
  cleanFiles,
  computedImports,
  importForms,
  plantedGlobals,
  plantedImports,
  type Plant,
} from './plantedFiles.js';

const repository = path.resolve(import.meta.dirname, '../../..');
const pluginFiles = ['boundaries.mjs', 'globals.mjs', 'libraries.mjs', 'plugin.mjs'];

type Files = Readonly<Record<string, string>>;

interface LintReport {
  readonly diagnostics: readonly { code: string; severity: string; filename: string }[];
  readonly number_of_files: number;
}

/** Lints only these files, with the project's own configuration, in a temporary folder. */
async function lintFiles(files: Files): Promise<LintReport> {
  const folder = await mkdtemp(path.join(tmpdir(), 'gatehouse-lint-'));
  try {
    const configuration = JSON.parse(await readFile(path.join(repository, '.oxlintrc.json'), 'utf8'));
    // Types are irrelevant for the import rules, and the imported files do not exist here.
    delete configuration.options.typeAware;
    await writeFile(path.join(folder, '.oxlintrc.json'), JSON.stringify(configuration));
    for (const file of pluginFiles) {
      await cp(path.join(import.meta.dirname, file), path.join(folder, 'dev/checks/importRules', file));
    }
    await cp(path.join(repository, 'infra/services.json'), path.join(folder, 'infra/services.json'));
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.join(folder, path.dirname(file)), { recursive: true });
      await writeFile(path.join(folder, file), text);
    }
    return await lint(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function lint(folder: string): Promise<LintReport> {
  return JSON.parse(await runLinter(folder, '--format=json'));
}

/** The output of the linter. Its exit code is ignored, because findings are expected. */
async function runLinter(folder: string, option: string): Promise<string> {
  const linter = path.join(repository, 'node_modules/oxlint/bin/oxlint');
  const options = { cwd: folder, maxBuffer: 2 ** 27 };
  return await new Promise((resolve) => {
    execFile(process.execPath, [linter, option], options, (_error, output) => resolve(output));
  });
}

/** The import rules that a file violates according to the diagnostics, once for each violation. */
function brokenRules(report: LintReport, file: string): string[] {
  return report.diagnostics
    .filter(({ filename, code }) => filename === file && code.startsWith('gatehouse('))
    .map(({ code, severity }) => `${severity}: ${code.slice('gatehouse('.length, -1)}`);
}

/**
 * Plants each text in a file of its own and lists the files that do not violate exactly the one rule exactly
 * once.
 */
async function findMissed(rule: string, plants: readonly Plant[]) {
  const files = new Map(plants.map(([file, text], index) => [file.replace('*', `planted${index}`), text]));
  expect(files.size, 'each plant has a file of its own').toBe(plants.length);
  const report = await lintFiles(Object.fromEntries(files));
  return [...files]
    .map(([file, text]) => ({ file, text, broken: brokenRules(report, file) }))
    .filter(({ broken }) => broken.join() !== `error: ${rule}`);
}

describe('import-boundaries', () => {
  it('catches every form of import across every boundary', async () => {
    const plants = Object.values(plantedImports).flat();
    const written = Object.values(importForms).flatMap((write) =>
      plants.map(([file, specifier]): Plant => [file, write(specifier)]),
    );
    expect(await findMissed('import-boundaries', written)).toEqual([]);
  });

  it.each([
    ['tRPC', 'packages/contract/src/services/*.ts', '@trpc/server'],
    ['the contract', 'apps/console/src/components/*.tsx', '@gatehouse/contract'],
    ['the contract', 'apps/console/src/components/*.tsx', '@gatehouse/contract/openapi'],
  ])('catches values of %s where only types may be imported', async (_name, file, specifier) => {
    const { 'import type': _type, ...valueForms } = importForms;
    const written = Object.values(valueForms).map((write): Plant => [file, write(specifier)]);
    expect(await findMissed('import-boundaries', written)).toEqual([]);
  });

  it('catches an import whose module is computed', async () => {
    const plants = computedImports.map((text): Plant => ['apps/access/src/*.ts', text]);
    expect(await findMissed('import-boundaries', plants)).toEqual([]);
  });

  it('reads its packages from a table without a cycle', () => {
    const visit = (name: string, path_: readonly string[]): void => {
      expect(path_).not.toContain(name);
      for (const imported of workspaceImports[folderOf(name)] ?? []) visit(imported, [...path_, name]);
    };
    for (const folder of Object.keys(workspaceImports)) visit(path.basename(folder), []);
  });
});

function folderOf(name: string): string {
  const folders = [`packages/${name}`, `apps/${name}`, name];
  return folders.find((folder) => folder in workspaceImports) ?? name;
}

describe.each(Object.entries(plantedGlobals))('%s', (rule, plants) => {
  it('catches every use of a forbidden global', async () => {
    expect(await findMissed(rule, plants)).toEqual([]);
  });
});

describe('no-import-cycle', () => {
  it('catches cycles of one, two and three modules, closed by every form of import', async () => {
    const files = Object.entries(importForms).flatMap(([, write], index) => [
      [`apps/access/src/self${index}.ts`, write(`./self${index}.js`)],
      [`apps/access/src/pair${index}/a.ts`, write('./b.js')],
      [`apps/access/src/pair${index}/b.ts`, "import './a.js';\n"],
      [`packages/service/src/ring${index}/a.ts`, `export * from '../ring${index}/b.js';\n`],
      [`packages/service/src/ring${index}/b.ts`, write('./deep/c.js')],
      [
        `packages/service/src/ring${index}/deep/c.ts`,
        "import type { A } from '../a.js';\nexport type C = A;\n",
      ],
    ]);
    const report = await lintFiles(Object.fromEntries(files));
    const found = report.diagnostics.filter(({ code }) => code === 'gatehouse(no-import-cycle)');
    const cycles = found.map(({ filename }) => /(self|pair|ring)\d+/.exec(filename)?.[0]);
    const planted = Object.keys(importForms).flatMap((_, index) => [
      `self${index}`,
      `pair${index}`,
      `ring${index}`,
    ]);
    expect(new Set(cycles)).toEqual(new Set(planted));
    expect(found.filter(({ severity }) => severity !== 'error')).toEqual([]);
  });
});

describe('the import rules', () => {
  it('check every file of a clean tree and report nothing', async () => {
    const report = await lintFiles(cleanFiles);
    expect(report.diagnostics.filter(({ code }) => code.startsWith('gatehouse('))).toEqual([]);
    expect(report.number_of_files).toBe(Object.keys(cleanFiles).length + pluginFiles.length);
  });

  it('check every source file of this repository', async () => {
    const linted = new Set((await runLinter(repository, '--debug=files')).split('\n'));
    const folders = ['apps', 'packages', 'bench', 'dev', 'scripts', 'tests'];
    const sources = (await Promise.all(folders.map(listSources))).flat();
    expect(sources).toContain('dev/checks/importRules/plugin.mjs');
    expect(sources.filter((file) => !linted.has(file))).toEqual([]);
  });
});

async function listSources(folder: string): Promise<string[]> {
  const files = await readdir(path.join(repository, folder), { recursive: true });
  return files
    .filter((file) => /\.[cm]?[jt]s$/.test(file) && !/(^|\/)(node_modules|dist|\..*)\//.test(file))
    .map((file) => `${folder}/${file}`);
}
