import { findFreePorts, runProcess, type Config, type Stoppable } from '@gatehouse/service';
import type { Credentials } from './credentials.js';
import { describeStart } from './welcome.js';
import { explainFailure } from './writeFault.js';

/** A deployment mode of the platform, as a program. */
export interface RunningForm extends Stoppable {
  credentials: Credentials;
  credentialsFile: string;
  /** The address of the metrics of each process. */
  metricsUrls: string[];
  /** A code that signs the first ADMIN in to the console; null if the credentials are no longer valid. */
  createSignInCode(): Promise<string | null>;
  /** Resolves, with the reason, if the platform cannot continue. */
  failed: Promise<Error>;
}

/** Runs a deployment mode as a program: prints its address, and exits with code 1 if it cannot continue. */
export async function runForm(start: (config: Config) => Promise<RunningForm>): Promise<void> {
  await runProcess(async (config) => {
    // The gateway listens last. A port in use must end the start before anything is stored.
    if (config.PORT !== 0) await findFreePorts([{ host: config.HOST, port: config.PORT }]);
    const explain = (error: unknown) => explainFailure(error, config.DATA_DIR);
    const running = await start(config).catch(async (error: unknown) => {
      throw await explain(error);
    });
    void running.failed.then(async (error) => {
      const { message } = await explain(error);
      process.stderr.write(`${message}\n`);
      process.exit(1);
    });
    const signInCode = await running.createSignInCode();
    process.stdout.write(describeStart({ ...running, signInCode }));
    return running;
  });
}
