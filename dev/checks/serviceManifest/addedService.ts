import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { childEnvironment } from '@gatehouse/service';
import { repository } from '../../../tests/src/docCommands.js';

/** Created by tools, and not part of the sources. */
const NOT_COPIED = new Set(['node_modules', '.git', '.turbo', '.data', '.cache']);
export const MANIFEST = 'packages/contract/src/manifest/services.ts';

export const PAGE = 'docs/services.md';

/** The new service of the page. */
interface AddedService {
  /** Its entry in the manifest. */
  entry: string;
  /** The sources in its folder, by path. */
  sources: ReadonlyMap<string, string>;
}

/** Reads the blocks of TypeScript in the section of the page. The text before each source names its file. */
async function readAddedService(): Promise<AddedService> {
  const page = await readFile(join(repository, PAGE), 'utf8');
  const [, section = ''] = /^## Add a service\n([^]*?)^## /m.exec(page) ?? [];
  const blocks = [...section.matchAll(/([^]*?)^ {3}```ts\n([^]*?)^ {3}```$/gm)].map(
    ([, before = '', code = '']) => ({ file: /`(src\/[\w/.]+)`/.exec(before)?.[1], code }),
  );
  const [entry] = blocks.filter(({ file }) => file === undefined);
  if (entry === undefined) throw new Error(`${PAGE} has no entry of the manifest`);
  const sources = blocks.flatMap(({ file, code }) => (file === undefined ? [] : [[file, code] as const]));
  return { entry: entry.code, sources: new Map(sources) };
}

/** A copy of the sources, and of the packages and the build as far as tools can reuse them. */
export interface Copy extends AsyncDisposable {
  path: string;
  /** Runs a command in the copy and returns its output. It rejects with the output if the command fails. */
  run(command: string, args?: readonly string[], environment?: Record<string, string>): Promise<string>;
  read(file: string): Promise<string>;
  write(file: string, text: string): Promise<void>;
  /** The files and folders that the copy has changed or added, apart from what tools create. */
  listChanges(): Promise<string[]>;
}

function execute(folder: string, command: readonly string[], environment: Record<string, string>) {
  const [program = '', ...args] = command;
  const options = { cwd: folder, env: childEnvironment(environment), maxBuffer: 2 ** 26 };
  return new Promise<string>((resolve, reject) => {
    execFile(program, args, options, (error, output, errors) => {
      if (error === null) resolve(output);
      else reject(new Error(`${command.join(' ')}\n${output}${errors}`));
    });
  });
}

/** Links the installed packages. npm rewrites its own list, which therefore is a copy. */
async function copyPackages(folder: string): Promise<void> {
  const [from, to] = [join(repository, 'node_modules'), join(folder, 'node_modules')];
  // Links are not possible to another file system.
  await execute(folder, ['cp', '-al', from, to], {}).catch(async () => {
    await rm(to, { recursive: true, force: true });
    await execute(folder, ['cp', '-a', from, to], {});
  });
  await rm(join(to, '.cache'), { recursive: true, force: true });
  await rm(join(to, '.package-lock.json'));
  await cp(join(from, '.package-lock.json'), join(to, '.package-lock.json'));
}

/** Copies the repository. */
export async function copyRepository(): Promise<Copy> {
  const path = await mkdtemp(join(tmpdir(), 'gatehouse-copy-'));
  await cp(repository, path, { recursive: true, filter: (source) => !NOT_COPIED.has(basename(source)) });
  await copyPackages(path);
  const write = async (file: string, text: string) => {
    await mkdir(dirname(join(path, file)), { recursive: true });
    await writeFile(join(path, file), text);
  };
  return {
    path,
    run: (command, args = [], environment = {}) => execute(path, [command, ...args], environment),
    read: (file) => readFile(join(path, file), 'utf8'),
    write,
    async listChanges() {
      const excluded = [...NOT_COPIED, 'dist', 'package-lock.json'].flatMap((name) => ['-x', name]);
      const lines = await execute(path, ['diff', '-rq', ...excluded, repository, path], {}).catch(
        ({ message }: Error) => message.split('\n').slice(1).join('\n'),
      );
      return [...lines.matchAll(/^(?:Only in (.*): (.*)|Files .* and (.*) differ)$/gm)]
        .map(([, folder = '', name = '', file]) => relative(path, file ?? join(folder, name)))
        .filter((file) => !file.startsWith('..'))
        .toSorted();
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

/** Adds the service of the page: an entry of the manifest, and a folder. */
export async function addService(copy: Copy): Promise<void> {
  const { entry, sources } = await readAddedService();
  const manifest = await copy.read(MANIFEST);
  const imports = "import { z } from 'zod';\nimport { query } from '../services/procedure.js';\n";
  await copy.write(
    MANIFEST,
    manifest.replace('import { access }', `${imports}$&`).replace(/^\}\);\n/m, `${entry}});\n`),
  );
  const settings = ['package.json', 'tsconfig.json', 'tsconfig.build.json'];
  for (const file of settings) {
    const text = await copy.read(join('apps/access', file));
    await copy.write(join('apps/reports', file), text.replaceAll('@gatehouse/access', '@gatehouse/reports'));
  }
  for (const [file, text] of sources) await copy.write(join('apps/reports', file), text);
}

/** A program outside the tree that calls the service with a typed client, in either deployment mode. */
const CALLER = `import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { services, type Principal } from '@gatehouse/contract';
import { connectService, createInternalTokenSigner, networkLink, readConfig } from '@gatehouse/service';
import { startStandalone } from '@gatehouse/standalone';

const config = readConfig();

async function reach() {
  if (config.INTERNAL_SIGNING_KEY === undefined) {
    const { links, signer, stop } = await startStandalone(config);
    return { link: links.reports, signer, stop };
  }
  const link = networkLink(services.reports, { url: config.REPORTS_URL, timeoutMs: 10_000 });
  const signer = await createInternalTokenSigner(config.INTERNAL_SIGNING_KEY, config.REQUEST_TIMEOUT_MS);
  return { link, signer, stop: link.close };
}

const { link, signer, stop } = await reach();
const client = connectService(services.reports, link);
const { organizationId, projectId, adminOrgUserId } = JSON.parse(await readFile(process.argv[2] ?? '', 'utf8'));
const admin: Principal = {
  kind: 'orgUser',
  tokenType: 'project',
  tokenId: 'caller',
  tokenExpiresAt: Math.floor(Date.now() / 1000) + 600,
  organizationId,
  projectId,
  userId: adminOrgUserId,
  userKey: 'u:caller',
  email: 'admin@example.com',
  role: 'ADMIN',
  groupIds: [],
};
const context = { token: await signer.sign(admin), requestId: 'caller' };
let counts = await client.dashboards.count.query({}, { context });
for (let round = 0; round < 600 && counts.created < counts.visible; round += 1) {
  await sleep(100);
  counts = await client.dashboards.count.query({}, { context });
}
process.stdout.write(JSON.stringify(counts));
await stop();

// @ts-expect-error The procedure has no such input.
export const wrongInput = () => client.dashboards.count.query({ of: 'all' }, { context });
// @ts-expect-error The output has no such field.
export const wrongOutput = async () => (await client.dashboards.count.query({}, { context })).deleted;
// @ts-expect-error The service has no such procedure.
export const wrongName = () => client.dashboards.list.query({}, { context });
`;

/** Compiles the caller against the packages of the copy, and returns its program. */
export async function compileCaller(copy: Copy): Promise<string> {
  const folder = 'node_modules/.cache/caller';
  const options = { composite: false, declaration: false, declarationMap: false, sourceMap: false };
  const config = {
    extends: '../../../tsconfig.base.json',
    compilerOptions: { ...options, rootDir: '.', outDir: 'dist', tsBuildInfoFile: null },
    include: ['main.ts'],
  };
  await copy.write(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await copy.write(join(folder, 'tsconfig.json'), JSON.stringify(config));
  await copy.write(join(folder, 'main.ts'), CALLER);
  await copy.run('node_modules/.bin/tsc', ['-p', folder]);
  return join(folder, 'dist/main.js');
}
