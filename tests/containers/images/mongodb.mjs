/** Runs the embedded engine's process, and passes on to its unix socket whatever comes to MongoDB's port. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { connect, createServer } from 'node:net';

const DATA_DIR = '/data/db';
const SOCKET = '/tmp/engine.sock';
const PORT = 27_017;

mkdirSync(DATA_DIR, { recursive: true });
const host = spawn(process.execPath, ['host.mjs', DATA_DIR, SOCKET], { stdio: ['pipe', 'pipe', 'inherit'] });
host.once('exit', (code) => process.exit(code ?? 1));
process.once('SIGTERM', () => host.kill('SIGTERM'));

await once(host.stdout, 'data');
createServer((client) => {
  const engine = connect(SOCKET);
  client.on('error', () => engine.destroy()).pipe(engine);
  engine.on('error', () => client.destroy()).pipe(client);
}).listen(PORT, '0.0.0.0', () => process.stdout.write('Waiting for connections\n'));
