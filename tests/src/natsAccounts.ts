import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { childEnvironment } from '@gatehouse/service';
import { removeDataDir, type NatsUser } from '@gatehouse/testing';
import { expect, vi } from 'vitest';

const run = promisify(execFile);
const MAKE_SECRETS = fileURLToPath(new URL('../../scripts/secrets.mjs', import.meta.url));
const PROGRAM = 'nats-server';
const USER = /\{ user: (\S+), password: "(\S+)"(?:, permissions: (.*))? \}/g;
const USERS = /users: \[[^]*?\n {4}\]/;

/** A user of the one account. */
export interface AccountUser extends NatsUser {
  /** The only permissions of the user, as in the settings; absent for all. */
  permissions?: string | undefined;
}

/** A nats-server with the settings of the manifests: one account, and in it a user for each process. */
export interface AccountNats extends AsyncDisposable {
  /** Those that `npm run secrets` made for the processes, each by the name of one. */
  made: readonly AccountUser[];
  /** Who may do anything. */
  operator: AccountUser;
  urlOf(user: NatsUser): string;
  /** Accepts only these users. The server continues: it reads its settings again. */
  letIn(users: readonly AccountUser[]): Promise<void>;
  /** The names of the users who are connected, by the number that each connection has for ever. */
  readConnected(): Promise<Map<number, string>>;
}

interface Conn {
  cid: number;
  authorized_user: string;
}

function startServer(config: string) {
  // Debian installs it where a user without root does not look.
  const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin` };
  const child = spawn(PROGRAM, ['-c', config], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const endWithParent = () => void child.kill('SIGKILL');
  process.once('exit', endWithParent);
  const lines: string[] = [];
  createInterface(child.stderr).on('line', (line) => lines.push(line));
  /** What a pattern finds in the log after so many lines of it, once it is there. */
  const find = (pattern: RegExp, skipped = 0) =>
    vi.waitFor(
      () => {
        const log = lines.slice(skipped).join('\n');
        expect(log).toMatch(pattern);
        return Number(pattern.exec(log)?.[1]);
      },
      { timeout: 120_000, interval: 20 },
    );
  const readAgain = async () => {
    const skipped = lines.length;
    child.kill('SIGHUP');
    await find(/Reloaded server configuration/, skipped);
  };
  const kill = async () => {
    process.off('exit', endWithParent);
    const exited = once(child, 'exit');
    if (child.kill('SIGKILL')) await exited;
  };
  return { find, readAgain, kill };
}

/** Starts the server, with JetStream, on free ports of loopback and with a new store. */
export async function startAccountNats(): Promise<AccountNats> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-accounts-'));
  await run(process.execPath, [MAKE_SECRETS, folder], { env: childEnvironment({}) });
  const config = join(folder, 'nats.conf');
  const text = (await readFile(config, 'utf8'))
    .replace('port: 4222', 'host: 127.0.0.1\nport: -1')
    .replace('http_port: 8222', 'http_port: -1')
    .replace('/data', join(folder, 'streams'));
  const all = [...text.matchAll(USER)].map(([, user = '', password = '', permissions]) => {
    return { user, password, permissions };
  });
  const made = all.filter(({ permissions }) => permissions !== undefined);
  const operator = all.find(({ user }) => user === 'operator');
  if (operator === undefined) throw new Error('There is no operator');
  await writeFile(config, text);
  const server = startServer(config);
  const dispose = async () => {
    await server.kill();
    await removeDataDir(folder);
  };
  try {
    await server.find(/Server is ready/);
    const port = await server.find(/client connections on .*:(\d+)$/m);
    const monitor = await server.find(/http monitor on .*:(\d+)$/m);
    return {
      made,
      operator,
      urlOf: ({ user, password }) => `nats://${user}:${password}@127.0.0.1:${port}`,
      async letIn(users) {
        const entries = users.map(({ user, password, permissions }) => {
          const own = permissions === undefined ? '' : `, permissions: ${permissions}`;
          return `{ user: ${user}, password: "${password}"${own} }`;
        });
        await writeFile(
          config,
          text.replace(USERS, () => `users: [\n${entries.join('\n')}\n]`),
        );
        await server.readAgain();
      },
      async readConnected() {
        const answer = await fetch(`http://127.0.0.1:${monitor}/connz?auth=true`);
        const { connections } = (await answer.json()) as { connections: Conn[] };
        return new Map(connections.map(({ cid, authorized_user }) => [cid, authorized_user]));
      },
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}
