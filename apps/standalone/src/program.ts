import { runProcess, type Config, type Stoppable } from '@gatehouse/service';
import type { Credentials } from './credentials.js';
import { describeStart } from './welcome.js';

/** A form of the platform, as a program sees it. */
export interface RunningForm extends Stoppable {
  credentials: Credentials;
  credentialsFile: string;
  /** Where metrics are read, of each process. */
  metricsUrls: string[];
  /** Resolves, with what happened, when the platform cannot go on. */
  failed: Promise<Error>;
}

/** Runs a form as a program: says where it is, and exits 1 when it cannot go on. */
export async function runForm(start: (config: Config) => Promise<RunningForm>): Promise<void> {
  await runProcess(async (config) => {
    const running = await start(config);
    void running.failed.then((error) => {
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    });
    process.stdout.write(describeStart(running));
    return running;
  });
}
