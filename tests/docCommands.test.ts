import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Api } from './src/api.js';
import { makeClone, readBlocks, repository, type Clone, type CommandBlock } from './src/docCommands.js';
import { startTestStandalone, type TestServer } from './src/servers.js';

/**
 * A test runs every shell command of README.md and docs/*.md. For a new command there are two ways:
 *
 * 1. **Do nothing.** The blocks of a page run here, in their order, in one bash, against one standalone with
 *    the demo organization, in a folder that has `.data` and the scripts as a clone has. A response with
 *    status 400 or above, or any command that fails, fails the test. These variables are set: `$BASE`,
 *    `$ADMIN` and `$TOKEN` (a token of the first ADMIN), `$PROJECT_ID` and `$CONNECTION_ID` (a static
 *    connection with the table `orders`: `id`, `amount`, `tenant_id`). The tenant `acme` exists. The page
 *    must set everything else that a block needs. The address of the server replaces `http://127.0.0.1:8080`.
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
  { page: 'README.md', command: 'BASE', test: 'tests/walk.test.ts', mentions: 'readSteps' },
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
  ...['--bootstrap --credentials', 'npm run reseal'].map((command) => ({
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
  const pages = (await readdir(join(repository, 'docs'))).filter((name) => name.endsWith('.md')).toSorted();
  const all = await Promise.all(['README.md', ...pages.map((name) => `docs/${name}`)].map(readBlocks));
  return all.flat();
}

const blocks = await readAllBlocks();
const here = blocks.filter((block) => !ELSEWHERE.some(isOf(block)));
const pagesHere = [...new Set(here.map(({ page }) => page))];

/** An error response ends the commands. */
const PRELUDE = 'curl() { command curl --fail-with-body "$@"; }';

async function makeOrders({ admin, createTenant }: Api): Promise<string> {
  await createTenant({ id: 'acme', name: 'Acme' });
  const columns = ['id', 'amount', 'tenant_id'].map((name) => ({ name, type: 'text' }));
  const catalog = {
    defaultSchema: 'public',
    schemas: [{ name: 'public', tables: [{ name: 'orders', columns }] }],
  };
  const body = { name: 'Orders', type: 'static', config: { dialect: 'postgres' }, catalog };
  return succeeded(await admin.post<{ connection: { id: string } }>('/api/v1/connections', body)).connection
    .id;
}

describe('the shell commands of the pages', () => {
  let clone: Clone;
  let server: TestServer;
  let environment: Record<string, string>;
  beforeAll(async () => {
    clone = await makeClone();
    server = await startTestStandalone({ DATA_DIR: join(clone.path, '.data'), DEMO: '1' });
    const api = await createApi(server.credentials);
    environment = {
      BASE: server.baseUrl,
      ADMIN: api.admin.token,
      TOKEN: api.admin.token,
      PROJECT_ID: api.project.projectId,
      CONNECTION_ID: await makeOrders(api),
    };
  });
  afterAll(async () => {
    await server[Symbol.asyncDispose]();
    await clone[Symbol.asyncDispose]();
  });

  it.each(pagesHere)('%s: blocks without a test of their own work in order', async (page) => {
    const own = here.filter((block) => block.page === page);
    const texts = own.map(({ text, line }) => `# ${page}:${line}\n${text}`);
    const script = [PRELUDE, ...texts].join('\n').replaceAll('http://127.0.0.1:8080', server.baseUrl);
    const { code, output, errors } = await clone.run(script, environment);
    expect({ code, said: code === 0 ? '' : `${errors}\n${output.slice(-1000)}` }).toEqual({
      code: 0,
      said: '',
    });
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
