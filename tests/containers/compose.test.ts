import { execFile } from 'node:child_process';
import { readFile, writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findFreePort, newKey } from '@gatehouse/service';
import type { Credentials } from '@gatehouse/standalone';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../src/api.js';
import { findBlock, repository, runCommands } from '../src/docCommands.js';
import { APPS } from './images.js';

const PAGE = 'docs/containers.md';
const COMMAND = 'docker compose -f infra/compose.yaml';
const UP = (await findBlock(PAGE, `${COMMAND} up --build`)).text;
const BOOTSTRAP = (await findBlock(PAGE, `${COMMAND} exec -T directory`)).text;
const DOWN = (await findBlock(PAGE, `${COMMAND} down --volumes`)).text;
/** It builds all images, unless the engine has cached their layers. */
const UP_LIMIT_MS = 60 * 60_000;
const READY_LIMIT_MS = 120_000;
const LOOK_AGAIN_MS = 500;
const LOOK_LIMIT_MS = 5000;

const exec = promisify(execFile);

/** `docker compose`, or its predecessor, or undefined. */
async function findCompose(): Promise<readonly string[] | undefined> {
  for (const command of [['docker', 'compose'], ['docker-compose']]) {
    const [program = '', ...args] = command;
    const found = await exec(program, [...args, 'version']).then(
      () => true,
      () => false,
    );
    if (found) return command;
  }
  return undefined;
}

/**
 * Adapts the commands of the page to the program before Docker Compose 2, which does not support the line
 * `name`.
 */
async function adapt(program: readonly string[], folder: string): Promise<string> {
  if (program.length > 1) return '';
  const file = join(folder, 'compose.yaml');
  const original = await readFile(join(repository, 'infra/compose.yaml'), 'utf8');
  await writeFile(file, original.replace(/^name:.*\n/m, ''));
  const adapted = `command ${program.join(' ')} -f '${file}' --project-directory '${repository}/infra'`;
  return `docker() {
    if [ "docker $1 $2 $3" = '${COMMAND}' ]; then ${adapted} "\${@:4}"; else command docker "$@"; fi
  }\n`;
}

const program = await findCompose();
describe.skipIf(program === undefined)('the compose commands of the page', () => {
  let folder: string;
  let baseUrl: string;
  /** Runs commands of the page, and returns their output. */
  let run: (commands: string) => Promise<string>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-compose-'));
    const prelude = await adapt(program ?? [], folder);
    const port = await findFreePort();
    baseUrl = `http://127.0.0.1:${port}`;
    // A platform that a user has started by the page is not changed.
    const name = `gatehouse${newKey().replaceAll(/\W/g, '').toLowerCase()}`;
    const environment = { PORT: String(port), COMPOSE_PROJECT_NAME: name };
    run = async (commands) => {
      const outcome = await runCommands(prelude + commands, { folder: repository, environment });
      if (outcome.code !== 0) throw new Error(`${commands}: ${outcome.errors.slice(-5000)}`);
      return outcome.output;
    };
    await run(UP);
  }, UP_LIMIT_MS);
  afterAll(async () => {
    await run(DOWN);
    await rm(folder, { recursive: true });
  });

  it('starts a platform of all processes that becomes ready', async () => {
    const isReady = () =>
      // Docker accepts connections before the gateway does, and Node 20 never receives the end of some of
      // those.
      fetch(`${baseUrl}/readyz`, { signal: AbortSignal.timeout(LOOK_LIMIT_MS) }).then(
        ({ ok }) => ok,
        () => false,
      );
    const deadlineMs = performance.now() + READY_LIMIT_MS;
    while (!(await isReady()) && performance.now() < deadlineMs) await sleep(LOOK_AGAIN_MS);
    expect(await isReady()).toBe(true);
    const names = (await run(`${COMMAND} config --services`)).split('\n');
    expect(names).toEqual(expect.arrayContaining([...APPS]));
  });

  it('lets its operator create the first organization, and its ADMIN a dashboard', async () => {
    const printed = await run(BOOTSTRAP);
    const api = await createApi({ ...(JSON.parse(printed) as Credentials), baseUrl });
    const author = await api.openSession({ orgUserId: (await api.createOrgUser('AUTHOR')).id });
    const { id } = await api.createDashboard(author);
    expect(await author.get(`/dashboards/${id}`)).toMatchObject({ status: 200 });
  });

  it('keeps the git repositories on a volume that is writable for the lifecycle service', async () => {
    const look = `${COMMAND} exec -T lifecycle stat --format %u:%g:%F /var/lib/gatehouse/repositories`;
    expect(await run(look)).toBe('10001:10001:directory\n');
  });
});
