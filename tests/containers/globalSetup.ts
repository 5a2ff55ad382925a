import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { newSecret } from '@gatehouse/service';
import { GenericContainer, Network, Wait, type StartedTestContainer } from 'testcontainers';
import type { TestProject } from 'vitest/node';
import { parse } from 'yaml';
import { MONGO_IMAGE, SERVICES } from './images.js';

const PORT = 27_017;
const READY_LIMIT_MS = 60_000;
const LOOK_AGAIN_MS = 500;
const COMPOSE_FILE = fileURLToPath(new URL('../../infra/compose.yaml', import.meta.url));
const CREATE_USERS = fileURLToPath(new URL('../../infra/k8s/overlays/local/createUsers.js', import.meta.url));

declare module 'vitest' {
  interface ProvidedContext {
    /** The name of the network that MongoDB is on. Provided in the container suite, and nowhere else. */
    containerNetwork?: string;
  }
}

interface ComposeService {
  entrypoint: string[];
  command: string[];
}

/**
 * The compose file's commands to start MongoDB and to create the replica set and the users; it writes `$`
 * twice.
 */
async function readCommands() {
  const text = (await readFile(COMPOSE_FILE, 'utf8')).replaceAll('$$', '$');
  const { services } = parse(text) as { services: Record<'mongodb' | 'mongodb-users', ComposeService> };
  return { start: services.mongodb.entrypoint, createUsers: services['mongodb-users'].command };
}

/** As compose does, which runs the container of the users again while that fails. */
async function untilDone(container: StartedTestContainer, command: string[]): Promise<void> {
  const deadlineMs = performance.now() + READY_LIMIT_MS;
  for (;;) {
    const { exitCode, output } = await container.exec(command);
    if (exitCode === 0) return;
    if (performance.now() > deadlineMs) throw new Error(`MongoDB has no users: ${output}`);
    await sleep(LOOK_AGAIN_MS);
  }
}

/**
 * Starts the MongoDB of the whole suite as infra/compose.yaml does, with users and as a replica set. Each
 * platform has its own users and databases in it, as on any shared server. One runs at a time.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { start, createUsers } = await readCommands();
  const [username, password] = ['root', newSecret()];
  const passwords = Object.fromEntries(SERVICES.map((name) => [name, newSecret()]));
  const network = await new Network().start();
  const container = await new GenericContainer(MONGO_IMAGE)
    .withNetwork(network)
    .withNetworkAliases('mongodb', 'mongodb-0.mongodb')
    .withExposedPorts(PORT)
    .withEnvironment({ ...passwords, username, password, keyFile: newSecret() })
    .withCopyFilesToContainer([{ source: CREATE_USERS, target: '/scripts/createUsers.js' }])
    .withEntrypoint(start)
    .withWaitStrategy(Wait.forLogMessage(/Waiting for connections/i))
    .start();
  await untilDone(container, createUsers);
  const place = `${container.getHost()}:${container.getMappedPort(PORT)}`;
  // The tests look into the database as well, by the variable that names a server to all tests.
  process.env['MONGODB_URL'] = `mongodb://${username}:${password}@${place}/?directConnection=true`;
  project.provide('containerNetwork', network.getName());
  return async () => {
    await container.stop();
    await network.stop();
  };
}
