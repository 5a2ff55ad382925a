import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { childEnvironment, newSecret } from '@gatehouse/service';
import type { DataDirectory } from '../dataDirectory.js';
import type { ProcessPlan } from './supervisor.js';

// Debian installs it in a folder that is not in the PATH of users other than root.
const PROGRAMS = ['nats-server', '/usr/sbin/nats-server'];
const HOST = '127.0.0.1';
const USER = 'gatehouse';
const CONFIG_FILE = 'nats.conf';
const GREETING_TIMEOUT_MS = 1000;

/**
 * Runs a command that ends when standard input closes, which happens however the launcher ends. Otherwise
 * nats-server would continue to run, and a second one would open its store.
 */
const RUN_WITH_PARENT = `
exec 3<&0
"$@" </dev/null &
server=$!
trap 'kill "$server"' TERM
(cat <&3 >/dev/null; kill "$server") 2>/dev/null &
wait "$server"
wait "$server"
`;

/** A nats-server of this mesh only. */
export interface OwnNats {
  plan: ProcessPlan;
  /** The URL for clients, with the password. */
  url: string;
}

/**
 * Prepares a nats-server with JetStream on loopback, with its data in the data directory and a new password
 * for each start.
 *
 * @throws Error with the installation command if it is not installed
 */
export async function prepareNats(directory: DataDirectory, port: number): Promise<OwnNats> {
  const program = PROGRAMS.find(
    (name) => spawnSync(name, ['--version'], { stdio: 'ignore' }).error === undefined,
  );
  if (program === undefined) {
    throw new Error(
      'The mesh needs nats-server, which is not installed. Debian and Ubuntu: sudo apt-get install nats-server. ' +
        'Or set NATS_URL to a NATS server with JetStream.',
    );
  }
  const password = newSecret();
  // In a file, because all users can see the arguments of a process.
  await directory.replace(
    CONFIG_FILE,
    [
      `listen: "${HOST}:${port}"`,
      `jetstream: { store_dir: ${JSON.stringify(directory.entry('nats'))} }`,
      `authorization: { user: ${USER}, password: "${password}" }`,
      `log_file: ${JSON.stringify(directory.entry('nats.log'))}`,
      '',
    ].join('\n'),
  );
  return {
    url: `nats://${USER}:${password}@${HOST}:${port}`,
    plan: {
      name: 'nats-server',
      command: 'sh',
      args: ['-c', RUN_WITH_PARENT, 'sh', program, '-c', directory.entry(CONFIG_FILE)],
      environment: childEnvironment({}),
      isReady: () => isGreeted(port),
    },
  };
}

/** NATS sends a greeting to each new connection once it serves. */
async function isGreeted(port: number): Promise<boolean> {
  const socket = connect(port, HOST);
  try {
    const [chunk] = (await once(socket, 'data', { signal: AbortSignal.timeout(GREETING_TIMEOUT_MS) })) as [
      Buffer,
    ];
    return chunk.toString().startsWith('INFO');
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
