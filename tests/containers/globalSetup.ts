import { GenericContainer, Network, Wait } from 'testcontainers';
import type { TestProject } from 'vitest/node';
import { MONGO_IMAGE } from './images.js';

const PORT = 27_017;

declare module 'vitest' {
  interface ProvidedContext {
    /** The name of the network that MongoDB is on. Provided in the container suite, and nowhere else. */
    containerNetwork?: string;
  }
}

/** Starts the MongoDB of the whole suite: each platform has databases of its own in it, as on any shared server. One runs at a time. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const network = await new Network().start();
  const container = await new GenericContainer(MONGO_IMAGE)
    .withNetwork(network)
    .withNetworkAliases('mongodb')
    .withExposedPorts(PORT)
    .withWaitStrategy(Wait.forLogMessage(/Waiting for connections/i))
    .start();
  const place = `${container.getHost()}:${container.getMappedPort(PORT)}`;
  // The tests look into the database as well, by the variable that names a server to all tests.
  process.env['MONGODB_URL'] = `mongodb://${place}/?directConnection=true`;
  project.provide('containerNetwork', network.getName());
  return async () => {
    await container.stop();
    await network.stop();
  };
}
