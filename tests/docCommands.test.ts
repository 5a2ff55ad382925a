import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '@gatehouse/service';
import { startPostgres, type DatabaseServer } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBlocks, repository, type CommandBlock } from './src/docCommands.js';
import { runPage, startFirst, type FirstStart } from './src/pageRun.js';

/**
 * A test runs every shell command of README.md and of the pages in docs. For a new command there are two
 * ways:
 *
 * 1. **Do nothing.** The blocks of a page run here, in their order, in one bash, at the root of an empty
 *    clone, after a start of the platform for this page alone, on a copy of the data of one first start.
 *    The page creates every variable and every record that it uses. A response with status 400 or above, or
 *    any command that fails, fails the test, unless `curl -w` prints the status.
 *    - A block of `VARIABLE=value … npm start` alone sets the settings of that start.
 *    - A block such as "js shop/service.mjs" is saved as that file.
 *    - A block such as "text output" or "json output" is what the block above it prints. Ids, tokens and
 *      times may differ.
 *    - `http://127.0.0.1:8080` is replaced by the address of the platform. These variables are set, for
 *      pages that take them as `${PGPORT:-5432}`: `APP_PORT`, a free port; and those of psql, for an empty
 *      server.
 * 2. **Elsewhere.** A test of its own runs it: add an entry to `ELSEWHERE` with a text of the block, that
 *    test, and the text in it that shows it. Read the block from the page with `findBlock` of
 *    src/docCommands.ts, so that page and test stay in step. Only `npm run test:containers` runs commands
 *    that need a container engine.
 */
interface Entry {
  page: string;
  /** A text of the block, or of each of several. */
  command: string;
}

interface RunElsewhere extends Entry {
  test: string;
  /** A text in that test's file. */
  mentions: string;
}

const ELSEWHERE: readonly RunElsewhere[] = [
  { page: 'README.md', command: 'npm start', test: 'tests/launch.test.ts', mentions: 'spawnServer' },
  {
    page: 'docs/audit.md',
    command: 'npm run audit',
    test: 'tests/audit.test.ts',
    mentions: 'scripts/audit.mjs',
  },
  {
    page: 'docs/events.md',
    command: 'npm run events',
    test: 'tests/deadLetters.test.ts',
    mentions: 'events',
  },
  ...['npm run backup', 'npm run restore', 'cp -a .data'].map((command) => ({
    page: 'docs/operations.md',
    command,
    test: 'tests/operationsBackup.test.ts',
    mentions: command,
  })),
  {
    page: 'docs/observability.md',
    command: 'METRICS_PORT=9464 npm start',
    test: 'tests/validationStream.test.ts',
    mentions: 'METRICS_PORT',
  },
  {
    page: 'docs/services.md',
    command: 'npm run manifest',
    test: 'dev/checks/serviceManifest/addedService.test.ts',
    mentions: 'npm run manifest',
  },
  { page: 'docs/cli.md', command: 'gatehouse', test: 'tests/cli.test.ts', mentions: 'docs/cli.md' },
  ...['--bootstrap --credentials', 'sealing.next', 'npm run reseal'].map((command) => ({
    page: 'docs/operations.md',
    command,
    test: 'tests/operations.test.ts',
    mentions: command,
  })),
  ...['kubectl apply -k infra/k8s/bootstrap', 'kubectl replace'].map((command) => ({
    page: 'docs/operations.md',
    command,
    test: 'dev/checks/manifests/pageCommands.test.ts',
    mentions: command,
  })),
  ...['kubectl', 'kustomization.yaml'].map((command) => ({
    page: 'docs/tutorials/deploy-to-kubernetes.md',
    command,
    test: 'dev/checks/manifests/pageCommands.test.ts',
    mentions: 'deploy-to-kubernetes.md',
  })),
  ...['docker build -f infra/Dockerfile', 'docker build -f tests/containers/images'].map((command) => ({
    page: 'docs/containers.md',
    command,
    test: 'tests/containers/build.test.ts',
    mentions: command,
  })),
  ...['up --build', 'exec -T directory', 'down --volumes'].map((command) => ({
    page: 'docs/containers.md',
    command,
    test: 'tests/containers/compose.test.ts',
    mentions: command,
  })),
  {
    page: 'docs/containers.md',
    command: 'npm run test:containers',
    test: 'tests/containerSuite.test.ts',
    mentions: 'npm run test:containers',
  },
];

const isOf = (block: CommandBlock) => (entry: Entry) =>
  entry.page === block.page && block.text.includes(entry.command);

async function readAllBlocks(): Promise<CommandBlock[]> {
  const files = await readdir(join(repository, 'docs'), { recursive: true });
  const pages = files.filter((name) => name.endsWith('.md')).toSorted();
  const all = await Promise.all(['README.md', ...pages.map((name) => `docs/${name}`)].map(readBlocks));
  return all.flat();
}

async function environmentOf(postgres: DatabaseServer): Promise<Record<string, string>> {
  return {
    APP_PORT: String(await findFreePort()),
    PGHOST: '127.0.0.1',
    PGPORT: String(postgres.port),
    PGUSER: postgres.user,
    PGPASSWORD: postgres.password,
  };
}

const blocks = await readAllBlocks();
const here = blocks.filter((block) => !ELSEWHERE.some(isOf(block)));
const pagesHere = [...new Set(here.map(({ page }) => page))];

describe('the shell commands of the pages', () => {
  let postgres: DatabaseServer;
  /** Without the databases and roles that the pages have created in the other one. */
  let anew: DatabaseServer;
  let first: FirstStart;
  beforeAll(async () => {
    [postgres, anew, first] = await Promise.all([startPostgres(), startPostgres(), startFirst()]);
  });
  afterAll(() => Promise.all([postgres, anew, first].map((used) => used[Symbol.asyncDispose]())));

  it.each(pagesHere)(
    '%s: blocks without a test of their own work in order after a fresh start',
    async (page) => {
      const { failure, outputs } = await runPage(
        here.filter((block) => block.page === page),
        { first, environment: await environmentOf(postgres) },
      );
      expect(failure).toBe('');
      for (const { line, printed, shown } of outputs) expect.soft(printed, `${page}:${line}`).toEqual(shown);
    },
  );

  it('README.md and the tutorials work one after another on the same platform', async () => {
    const isOfReader = ({ page }: CommandBlock) => page === 'README.md' || page.startsWith('docs/tutorials/');
    const environment = await environmentOf(anew);
    const { failure, outputs } = await runPage(here.filter(isOfReader), { first, environment });
    expect(failure).toBe('');
    expect(new Set(outputs.map(({ page }) => page)).size).toBeGreaterThan(7);
    for (const { page, line, printed, shown } of outputs)
      expect.soft(printed, `${page}:${line}`).toEqual(shown);
  });

  it.each(ELSEWHERE)('$page: "$command" is run by $test', async (entry) => {
    expect(blocks.filter((block) => isOf(block)(entry))).not.toEqual([]);
    expect(await readFile(join(repository, entry.test), 'utf8')).toContain(entry.mentions);
  });
});

describe('the pages', () => {
  it('name only existing tests', async () => {
    const pages = [...new Set(blocks.map(({ page }) => page)), 'docs/security.md'];
    const named = await Promise.all(
      pages.map(async (page) => {
        const text = await readFile(join(repository, page), 'utf8');
        return [...text.matchAll(/`((?:apps|packages|tests|scripts)\/[\w/.]+\.test\.ts)`/g)].map(
          ([, file]) => file ?? '',
        );
      }),
    );
    expect(named.flat().length).toBeGreaterThan(20);
    for (const file of new Set(named.flat())) await readFile(join(repository, file));
  });
});
