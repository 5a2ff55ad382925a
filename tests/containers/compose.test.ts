import { execFile } from 'node:child_process';
import { readFile, writeFile, mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { newKey } from '@gatehouse/service';
import type { Credentials } from '@gatehouse/standalone';
import { getContainerRuntimeClient, ImageName } from 'testcontainers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi } from '../src/api.js';
import { APPS, MONGO_IMAGE } from './images.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const STAND_IN = fileURLToPath(new URL('./images/compose.standin.yaml', import.meta.url));
const PAGE = join(ROOT, 'docs/containers.md');
/** The commands of the page, which the tests below run on a copy of the file, with the images that are there. */
const COMMAND = 'docker compose -f infra/compose.yaml ';
const UP = `${COMMAND}up --build --detach`;
const BOOTSTRAP = `${COMMAND}exec -T directory node dist/main.js --bootstrap --credentials -`;
const DOWN = `${COMMAND}down --volumes`;
const READY_LIMIT_MS = 120_000;
const LOOK_AGAIN_MS = 500;

const exec = promisify(execFile);

/** `docker compose`, or the program that came before it, or nothing. */
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

async function isStandIn(image: string): Promise<boolean> {
  const { Config } = await (await getContainerRuntimeClient()).image.inspect(ImageName.fromString(image));
  return Config.Labels?.['dev.gatehouse.stands-in-for'] === 'mongodb';
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const command = await findCompose();
describe.skipIf(command === undefined)('the compose file, run by docker compose', () => {
  let folder: string;
  /** Runs a command of the page. */
  let compose: (line: string) => Promise<string>;
  let baseUrl: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-compose-'));
    const [program = '', ...first] = command ?? [];
    const file = join(folder, 'compose.yaml');
    const text = await readFile(join(ROOT, 'infra/compose.yaml'), 'utf8');
    // The name of the project is given below; the program that came before `docker compose` does not know the line.
    await writeFile(file, text.replace(/^name:.*\n/m, ''));
    const files = ['-f', file, ...((await isStandIn(MONGO_IMAGE)) ? ['-f', STAND_IN] : [])];
    const name = `gatehouse${newKey().replaceAll(/\W/g, '').toLowerCase()}`;
    const project = ['--project-directory', join(ROOT, 'infra'), '-p', name];
    const port = await findFreePort();
    baseUrl = `http://127.0.0.1:${port}`;
    const env = { ...process.env, PORT: String(port) };
    compose = async (line) => {
      const args = line.slice(COMMAND.length).split(' ');
      return (await exec(program, [...first, ...files, ...project, ...args], { env })).stdout;
    };
    await exec(process.execPath, [join(ROOT, 'scripts/secrets.mjs')]);
    await compose(UP.replace(' --build', ''));
  });
  afterAll(async () => {
    await compose(DOWN);
    await rm(folder, { recursive: true });
  });

  it('is started, set up and removed by the commands of the page', async () => {
    const page = await readFile(PAGE, 'utf8');
    expect([UP, BOOTSTRAP, DOWN].filter((text) => !page.includes(`\n${text}\n`))).toEqual([]);
  });

  it('starts a platform that is ready, of every process that there is', async () => {
    const isReady = () =>
      fetch(`${baseUrl}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      );
    const deadlineMs = performance.now() + READY_LIMIT_MS;
    while (!(await isReady()) && performance.now() < deadlineMs) await sleep(LOOK_AGAIN_MS);
    expect(await isReady()).toBe(true);
    const names = (await compose(`${COMMAND}config --services`)).split('\n');
    expect(names).toEqual(expect.arrayContaining([...APPS]));
  });

  it('lets its operator make the first organization, and the dashboards of its ADMIN', async () => {
    const printed = await compose(BOOTSTRAP);
    const api = await createApi({ ...(JSON.parse(printed) as Credentials), baseUrl });
    const author = await api.openSession({ orgUserId: (await api.createOrgUser('AUTHOR')).id });
    const { id } = await api.createDashboard(author);
    expect(await author.get(`/dashboards/${id}`)).toMatchObject({ status: 200 });
  });

  it('keeps the git repositories on a volume that the lifecycle service can write', async () => {
    const look = `${COMMAND}exec -T lifecycle stat --format %u:%g:%F /var/lib/gatehouse/repositories`;
    expect(await compose(look)).toBe('10001:10001:directory\n');
  });
});
