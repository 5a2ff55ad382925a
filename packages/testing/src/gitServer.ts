import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '@gatehouse/service';

const run = promisify(execFile);

/** How a git server handles requests: it serves them, or fails in one of these ways. */
export type GitServerMode =
  | 'serve'
  | 'forbid'
  | 'hang'
  | 'cut'
  | 'redirect'
  | 'notFound'
  | { cutAfterBytes: number };

/** One request that the server received. */
export interface GitRequest {
  method: string;
  path: string;
  authorization: string | undefined;
}

/** A git server over HTTP on 127.0.0.1: `git http-backend` over one bare repository. */
export interface GitServer extends AsyncDisposable {
  url: string;
  port: number;
  /** The repository, for inspection. */
  directory: string;
  mode: GitServerMode;
  /** The only credentials that it accepts; null for no authentication. */
  credentials: { username: string; password: string } | null;
  requests: GitRequest[];
  /** Runs git in the repository and gives its output. */
  git(...args: string[]): Promise<string>;
  /** Creates a commit on a branch, as another clone of the repository would. */
  commitElsewhere(branch: string, file: { path: string; text: string }): Promise<string>;
  /** Sets the hook that decides whether a push is accepted: a shell script. */
  setPreReceiveHook(script: string): Promise<void>;
  /**
   * Resolves once no request is in progress: a push continues after its connection is broken, as on other
   * servers.
   */
  untilIdle(): Promise<void>;
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Somebody',
  GIT_AUTHOR_EMAIL: 'somebody@example.com',
  GIT_COMMITTER_NAME: 'Somebody',
  GIT_COMMITTER_EMAIL: 'somebody@example.com',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

/** Runs git in a directory, isolated from the configuration of the machine's user. */
export async function runGit(directory: string, ...args: string[]): Promise<string> {
  const options = {
    cwd: directory,
    env: { ...childEnvironment({}), ...IDENTITY },
    maxBuffer: 256 * 1024 * 1024,
  };
  return (await run('git', args, options)).stdout;
}

function isLetIn({ headers }: IncomingMessage, credentials: GitServer['credentials']): boolean {
  if (credentials === null) return true;
  const { username, password } = credentials;
  return headers.authorization === `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** Passes a request to `git http-backend` as CGI (RFC 3875). Resolves once that has ended. */
async function serve(root: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = '', query = ''] = (request.url ?? '').split('?');
  const { headers } = request;
  const child = spawn('git', ['http-backend'], {
    env: {
      ...childEnvironment({}),
      ...IDENTITY,
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(headers['git-protocol'] ?? ''),
      REMOTE_USER: 'tester',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin).on('error', () => {});
  // A broken connection delivers neither more data nor an end.
  request.once('close', () => child.stdin.end());
  let head: Buffer | null = Buffer.alloc(0);
  child.stdout.on('data', (chunk: Buffer) => {
    if (head === null) return void response.write(chunk);
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    for (const line of head.subarray(0, end).toString().split('\r\n')) {
      const [name = '', value = ''] = line.split(/: (.*)/);
      if (name === 'Status') response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
    head = null;
  });
  child.stdout.on('end', () => response.end());
  await once(child, 'close');
}

type Decision = Pick<GitServer, 'mode' | 'credentials' | 'requests' | 'port'> & {
  serving: Set<Promise<void>>;
};

/** Handles a request according to the mode. */
function answer(
  { mode, credentials, requests, port, serving }: Decision,
  root: string,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): void {
  const { method = '', url = '', headers, socket } = request;
  requests.push({ method, path: url, authorization: headers.authorization });
  const refuse = (status: number, extra: Record<string, string> = {}) =>
    void response.writeHead(status, extra).end('no');
  if (mode === 'hang') return;
  if (mode === 'cut') return void socket.resetAndDestroy();
  if (mode === 'forbid') return refuse(403);
  if (mode === 'notFound') return refuse(404);
  if (mode === 'redirect') return refuse(302, { location: `http://127.0.0.1:${port}/elsewhere.git` });
  if (!isLetIn(request, credentials)) return refuse(401, { 'www-authenticate': 'Basic realm="git"' });
  if (typeof mode === 'object') cutAfter(request, mode.cutAfterBytes);
  const served = serve(root, request, response).finally(() => serving.delete(served));
  serving.add(served);
}

/** Breaks the connection once this much of a request's body has arrived. */
function cutAfter(request: IncomingMessage, bytes: number): void {
  let received = 0;
  request.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > bytes) request.socket.resetAndDestroy();
  });
}

async function commitIn(
  directory: string,
  branch: string,
  { path, text }: { path: string; text: string },
): Promise<string> {
  const clone = await mkdtemp(join(tmpdir(), 'gatehouse-clone-'));
  try {
    const git = (...args: string[]) => runGit(clone, ...args);
    await git('clone', '--quiet', directory, '.');
    const isThere = (await git('branch', '--remotes', '--list', `origin/${branch}`)).trim() !== '';
    await git('checkout', '--quiet', '-B', branch, ...(isThere ? [`origin/${branch}`] : []));
    await mkdir(dirname(join(clone, path)), { recursive: true });
    await writeFile(join(clone, path), text);
    await git('add', '--all');
    await git('commit', '--quiet', '--message', `Change ${path} elsewhere`);
    await git('push', '--quiet', 'origin', branch);
    return (await git('rev-parse', 'HEAD')).trim();
  } finally {
    await rm(clone, { recursive: true, force: true });
  }
}

/** Starts an HTTP server on a free port of loopback. */
async function listen(handle: (request: IncomingMessage, response: ServerResponse) => void) {
  const sockets = new Set<Socket>();
  const server = createServer(handle);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, close };
}

/** Starts a server over a new, empty repository. */
export async function startGitServer(): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), 'gatehouse-git-'));
  const directory = join(root, 'dashboards.git');
  await runGit(root, 'init', '--quiet', '--bare', '--initial-branch=main', directory);
  await runGit(directory, 'config', 'http.receivepack', 'true');
  // Housekeeping would continue in the background after a push.
  await runGit(directory, 'config', 'receive.autogc', 'false');
  await mkdir(join(directory, 'hooks'), { recursive: true });
  const decision: Decision = { mode: 'serve', credentials: null, requests: [], port: 0, serving: new Set() };
  const { port, close } = await listen((request, response) => answer(decision, root, { request, response }));
  return Object.assign(decision, {
    port,
    url: `http://127.0.0.1:${port}/dashboards.git`,
    directory,
    git: (...args: string[]) => runGit(directory, ...args),
    commitElsewhere: (branch: string, file: { path: string; text: string }) =>
      commitIn(directory, branch, file),
    setPreReceiveHook: (script: string) =>
      writeFile(join(directory, 'hooks', 'pre-receive'), `#!/bin/sh\n${script}\n`, { mode: 0o755 }),
    async untilIdle() {
      await Promise.all(decision.serving);
    },
    async [Symbol.asyncDispose]() {
      close();
      // git writes into the repository until its process ends, also after the connection is closed.
      await Promise.all(decision.serving);
      await rm(root, { recursive: true, force: true });
    },
  });
}
