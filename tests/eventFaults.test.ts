import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedEngine, type EmbeddedEngine } from '@gatehouse/engine';
import { openDatabases, type Databases } from '@gatehouse/service';
import { removeDataDir, startNats, type NatsServer } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CATCH_UP, RECEIVER_SETTINGS, watchEvents, type EventWatch } from './src/eventRecords.js';
import {
  startTestMesh,
  startTestStandalone,
  type Settings,
  type TestMesh,
  type TestServer,
} from './src/servers.js';

let engine: EmbeddedEngine;
let engineDir: string;
beforeAll(async () => {
  engineDir = await mkdtemp(join(tmpdir(), 'gatehouse-faults-'));
  engine = await startEmbeddedEngine({ dataDir: engineDir });
});
afterAll(async () => {
  await engine.stop();
  await removeDataDir(engineDir);
});

async function killStore(): Promise<void> {
  engine.kill('SIGKILL');
  await engine.exited;
  engine = await startEmbeddedEngine({ dataDir: engineDir });
}

/** Starts a deployment mode on the engine that may be killed. */
async function start<T extends TestServer>(
  prefix: string,
  form: (settings: Settings) => Promise<T>,
): Promise<{ server: T; databases: Databases; watch: EventWatch }> {
  const server = await form({ ...RECEIVER_SETTINGS, MONGODB_URL: engine.url, MONGODB_PREFIX: prefix });
  const databases = await openDatabases(engine.url, prefix);
  return { server, databases, watch: await watchEvents(server.credentials, databases) };
}

describe('events, while the mesh is written to and', () => {
  let nats: NatsServer;
  let mesh: TestMesh;
  let databases: Databases;
  let watch: EventWatch;

  beforeAll(async () => {
    nats = await startNats();
    const startMesh = (settings: Settings) => startTestMesh({ ...settings, NATS_URL: nats.url });
    ({ server: mesh, databases, watch } = await start('mesh', startMesh));
  });
  afterAll(async () => {
    await mesh[Symbol.asyncDispose]();
    await watch.close();
    await databases.close();
    await nats[Symbol.asyncDispose]();
  });

  const kill = (name: string) => {
    const pid = mesh.pids()[name];
    if (pid !== undefined) process.kill(pid, 'SIGKILL');
  };

  /** Each kill hits a process that serves, and not one that is restarting. */
  const untilMoreIsLogged = async () => {
    const log = databases.of('audit').collection('auditEvents');
    const before = await log.estimatedDocumentCount();
    await expect.poll(() => log.estimatedDocumentCount(), CATCH_UP).toBeGreaterThan(before);
  };

  it('a consumer is killed twice, are recorded and sent once each', async () => {
    const made = await watch.writeDuring(async () => {
      for (let kills = 0; kills < 2; kills += 1) {
        await untilMoreIsLogged();
        kill('audit');
      }
    });
    expect(made).toBeGreaterThan(0);
  });

  it('a publisher is killed twice, are recorded and sent once each', async () => {
    const made = await watch.writeDuring(async (writeMore) => {
      for (let kills = 0; kills < 2; kills += 1) {
        await writeMore();
        kill('access');
      }
    });
    expect(made).toBeGreaterThan(0);
  });

  it('NATS is killed and restarts, are recorded and sent once each', async () => {
    const made = await watch.writeDuring(async () => {
      const { port, storeDir } = nats;
      await nats.kill();
      await sleep(500);
      nats = await startNats({ port, storeDir });
    });
    expect(made).toBeGreaterThan(0);
  });

  it('the store is killed and restarts, are recorded and sent once each', async () => {
    expect(await watch.writeDuring(killStore)).toBeGreaterThan(0);
  });
});

describe('events, while the standalone is written to and', () => {
  it('the store is killed and restarts, are recorded and sent once each', async () => {
    const { server, databases, watch } = await start('standalone', startTestStandalone);
    expect(await watch.writeDuring(killStore)).toBeGreaterThan(0);
    await server[Symbol.asyncDispose]();
    await watch.close();
    await databases.close();
  });
});
