/**
 * Runs the embedded engine, and in front of it the substitute for mongod, with the first user in the
 * variables of the official image.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ENGINE_DIR = '/data/db/engine';
const SOCKET = join(tmpdir(), 'engine.sock');
const FIRST_USER = join(tmpdir(), 'firstUser');

const { MONGO_INITDB_ROOT_USERNAME: name, MONGO_INITDB_ROOT_PASSWORD: password } = process.env;
if (!name || !password)
  throw new Error('MONGO_INITDB_ROOT_USERNAME and MONGO_INITDB_ROOT_PASSWORD are wanted');
writeFileSync(FIRST_USER, `${name} ${password}`, { mode: 0o600 });
mkdirSync(ENGINE_DIR, { recursive: true });

/** @param {string} program @param {string[]} args @param {import('node:child_process').StdioOptions} stdio */
const start = (program, args, stdio) => {
  const child = spawn(process.execPath, [`/standin/${program}`, ...args], { stdio });
  child.once('exit', (code) => process.exit(code ?? 1));
  process.once('SIGTERM', () => child.kill('SIGTERM'));
  return child;
};
const engine = start('host.mjs', [ENGINE_DIR, SOCKET], ['pipe', 'pipe', 'inherit']);
if (engine.stdout) await once(engine.stdout, 'data');
const own = ['--engineSocket', SOCKET, '--firstUser', FIRST_USER];
start('mongod/mongod.mjs', [...process.argv.slice(2), ...own], 'inherit');
