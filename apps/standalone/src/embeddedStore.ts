import { startEmbeddedEngine } from '@gatehouse/engine';
import type { Config, Logger } from '@gatehouse/service';
import type { DataDirectory } from './dataDirectory.js';
import type { StopSequence } from './stopSequence.js';

export interface Store {
  url: string;
  /** Process id of the embedded engine; undefined if the store is a server. */
  pid: number | undefined;
  /**
   * Resolves when an embedded engine has ended without being stopped. The end of a server is not detected
   * here.
   */
  lost: Promise<Error>;
}

/**
 * The store of an installation: the server of MONGODB_URL, by default the embedded engine in the data
 * directory.
 */
export async function provideStore(
  directory: DataDirectory,
  { config, log, stops }: { config: Config; log: Logger; stops: StopSequence },
): Promise<Store> {
  if (config.MONGODB_URL !== undefined) {
    return { url: config.MONGODB_URL, pid: undefined, lost: new Promise(() => {}) };
  }
  const engine = await startEmbeddedEngine({
    dataDir: directory.entry('engine'),
    log: (line) => log.debug({ line }, 'embedded engine'),
  });
  let isStopping = false;
  stops.add(async () => {
    isStopping = true;
    await engine.stop();
  });
  const lost = new Promise<Error>((resolve) => {
    void engine.exited.then((exit) => {
      const how = typeof exit === 'number' ? `with code ${exit}` : `by ${exit}`;
      if (!isStopping)
        resolve(new Error(`The embedded MongoDB engine ended ${how}; Gatehouse ends with it.`));
    });
  });
  return { url: engine.url, pid: engine.pid, lost };
}
