import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { removeDataDir, startEmbeddedEngine, type EmbeddedEngine } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabases, type Databases } from './database.js';
import { isDatabaseUnreachable } from './databaseErrors.js';

interface Note {
  _id: string;
}

/**
 * Blocks the event loop, as a busy process does, so that one iteration finds everything that happened
 * meanwhile.
 */
const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

describe('a database server that is killed', () => {
  let dataDir: string;
  let engine: EmbeddedEngine;
  let databases: Databases;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-closed-'));
    engine = await startEmbeddedEngine({ dataDir });
    databases = await openDatabases(engine.url, 'closed');
    await databases.of('test').createCollection('notes');
  });
  afterAll(async () => {
    await databases.close();
    await engine.stop();
    await removeDataDir(dataDir);
  });

  // The iteration in which the driver detects the end, and the one in which it reports it, depend on Node. At
  // present it is the second.
  it.each([0, 1, 2, 3])(
    'left a command unanswered for ever that was written after the end of its socket and before the word of it; %i looks after the kill',
    async (looks) => {
      const notes = databases.of('test').collection<Note>('notes');
      const answered = Array.from({ length: 8 }, (_, index) => `${looks} ${index}`);
      for (const _id of answered) await notes.insertOne({ _id });

      engine.kill('SIGKILL');
      standStill(200);
      for (let look = 0; look < looks; look += 1) await setImmediate();
      const outcome = await Promise.race([
        notes.insertOne({ _id: 'refused' }).catch((error: unknown) => isDatabaseUnreachable(error)),
        sleep(4_000, 'never answered', { ref: false }),
      ]);
      expect(outcome).toBe(true);

      await engine.exited;
      engine = await startEmbeddedEngine({ dataDir });
      await notes.insertOne({ _id: `${looks} back` });
      const found = await notes.find({ _id: { $gte: `${looks}` } }).toArray();
      expect(found.map(({ _id }) => _id)).toEqual([...answered, `${looks} back`]);
    },
  );
});
