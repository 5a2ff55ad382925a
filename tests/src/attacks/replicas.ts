import { copyFile, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDataDir } from '@gatehouse/testing';
import type { TestServer } from '../servers.js';
import { startForm, type OwnedPlatform } from './ownedPlatform.js';

/** Starts another gateway, with services of its own, on the stores, the bus and the keys of a platform. */
export async function startReplica({ server, settings }: OwnedPlatform): Promise<TestServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-replica-'));
  const credentials = 'credentials.json';
  await copyFile(join(server.dataDir, credentials), join(dataDir, credentials));
  const replica = await startForm(server.form, { ...settings, DATA_DIR: dataDir });
  return {
    ...replica,
    async [Symbol.asyncDispose]() {
      await replica[Symbol.asyncDispose]();
      await removeDataDir(dataDir);
    },
  };
}
