import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServiceName } from '@gatehouse/contract';
import { childEnvironment } from '@gatehouse/service';
import { programOf } from '@gatehouse/testing';

/** Runs the program of a service for one task, as its job does: `indexes`, `reseal`, `rotate-key`. */
export async function runTask(name: ServiceName, task: string, environment: Record<string, string>) {
  const env = childEnvironment({ ...environment, LOG_LEVEL: 'fatal' });
  const child = spawn(process.execPath, [programOf(name), `--${task}`], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
