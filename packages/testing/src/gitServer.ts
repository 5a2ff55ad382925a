import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '@gatehouse/service';

const run = promisify(execFile);

/** What a git server does with requests: answers them, or one of the ways to fail. */
export type GitServerMode =
  'serve' | 'forbid' | 'hang' | 'cut' | 'redirect' | 'notFound' | { cutAfterBytes: number };

/** One request, as the server has seen it. */
export interface GitRequest {
  method: string;
  path: string;
  authorization: string | undefined;
}

/** A git server over HTTP on 127.0.0.1: `git http-backend` over one bare repository. */
export interface GitServer extends AsyncDisposable {
  url: string;
  port: number;
  /** The repository, to look into. */
  directory: string;
  mode: GitServerMode;
  /** Whom alone it lets in; null for everybody. */
  credentials: { username: string; password: string } | null;
  requests: GitRequest[];
  /** Runs git in the repository and gives its output. */
  git(...args: string[]): Promise<string>;
  /** Makes a commit on a branch, as others do who have cloned the repository. */
  commitElsewhere(branch: string, file: { path: string; text: string }): Promise<string>;
  /** Sets what decides whether a push is taken: a shell script. */
  setPreReceiveHook(script: string): Promise<void>;
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Somebody',
  GIT_AUTHOR_EMAIL: 'somebody@example.com',
  GIT_COMMITTER_NAME: 'Somebody',
  GIT_COMMITTER_EMAIL: 'somebody@example.com',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
};

/** Runs git in a directory, apart from whatever the user of the machine has configured. */
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

/** Passes a request to `git http-backend` as CGI (RFC 3875) has it. */
function serve(root: string, request: IncomingMessage, response: ServerResponse): void {
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
}

/** Starts a server over a new, empty repository. */
export async function startGitServer(): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), 'gatehouse-git-'));
  const directory = join(root, 'dashboards.git');
  await runGit(root, 'init', '--quiet', '--bare', '--initial-branch=main', directory);
  await runGit(directory, 'config', 'http.receivepack', 'true');
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const { mode, credentials } = gitServer;
    const { method = '', url = '', headers, socket } = request;
    gitServer.requests.push({ method, path: url, authorization: headers.authorization });
    const answer = (status: number, extra: Record<string, string> = {}) =>
      void response.writeHead(status, extra).end('no');
    if (mode === 'hang') return;
    if (mode === 'cut') return void socket.resetAndDestroy();
    if (mode === 'forbid') return answer(403);
    if (mode === 'notFound') return answer(404);
    if (mode === 'redirect')
      return answer(302, { location: `http://127.0.0.1:${gitServer.port}/elsewhere.git` });
    if (!isLetIn(request, credentials)) return answer(401, { 'www-authenticate': 'Basic realm="git"' });
    if (typeof mode === 'object') cutAfter(request, mode.cutAfterBytes);
    serve(root, request, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const git = (...args: string[]) => runGit(directory, ...args);
  const gitServer: GitServer = {
    url: `http://127.0.0.1:${port}/dashboards.git`,
    port,
    directory,
    mode: 'serve',
    credentials: null,
    requests: [],
    git,
    async commitElsewhere(branch, { path, text }) {
      const clone = await mkdtemp(join(tmpdir(), 'gatehouse-clone-'));
      const inClone = (...args: string[]) => runGit(clone, ...args);
      await inClone('clone', '--quiet', directory, '.');
      await inClone(
        'checkout',
        '--quiet',
        '-B',
        branch,
        ...((await hasBranch(git, branch)) ? [`origin/${branch}`] : []),
      );
      const [folder] = path.split('/').slice(0, -1);
      if (folder !== undefined) await run('mkdir', ['-p', join(clone, folder)]);
      await writeFile(join(clone, path), text);
      await inClone('add', '--all');
      await inClone('commit', '--quiet', '--message', `Change ${path} elsewhere`);
      await inClone('push', '--quiet', 'origin', branch);
      const sha = (await inClone('rev-parse', 'HEAD')).trim();
      await rm(clone, { recursive: true, force: true });
      return sha;
    },
    async setPreReceiveHook(script) {
      const file = join(directory, 'hooks', 'pre-receive');
      await run('mkdir', ['-p', join(directory, 'hooks')]);
      await writeFile(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await rm(root, { recursive: true, force: true });
    },
  };
  return gitServer;
}

async function hasBranch(git: GitServer['git'], branch: string): Promise<boolean> {
  return (await git('branch', '--list', branch)).trim() !== '';
}

/** Breaks the connection once so much of a request's body has come. */
function cutAfter(request: IncomingMessage, bytes: number): void {
  let received = 0;
  request.on('data', (chunk: Buffer) => {
    received += chunk.length;
    if (received > bytes) request.socket.resetAndDestroy();
  });
}
