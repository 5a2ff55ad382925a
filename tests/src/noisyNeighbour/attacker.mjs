import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';

/**
 * Runs one flood in a thread of its own, until it is stopped, or has sent all its requests.
 *
 * @typedef {{ method: string, path: string, headers: Record<string, string>, body?: string }} FloodRequest
 * @typedef {object} Flood
 * @property {string} baseUrl
 * @property {string} localAddress its source address
 * @property {FloodRequest[]} requests sent in turn; `@` in a body stands for a unique number
 * @property {string} [held] instead of requests: the data that each connection sends before it stalls
 * @property {number} connections
 * @property {number} requestsMax
 */

/** @type {Flood} */
const { baseUrl, localAddress, requests, held, connections, requestsMax } = workerData;
const { hostname, port } = new URL(baseUrl);
/** @type {Record<string, number>} */
const outcomes = {};
let sent = 0;
let isStopped = false;
const PAUSE_AFTER_FAILURE_MS = 5;

/** @param {string} outcome */
function note(outcome) {
  outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
}

const agent = new Agent({ keepAlive: true, maxSockets: connections });

/** @param {Flood['requests'][number]} next */
function send({ method, path, headers, body }) {
  return new Promise((resolve) => {
    sent += 1;
    const bytes = body === undefined ? undefined : Buffer.from(body.replaceAll('@', String(sent)));
    const length = bytes === undefined ? {} : { 'content-length': bytes.length };
    const options = { hostname, port, localAddress, agent, method, path, headers: { ...headers, ...length } };
    const outgoing = request(options, (response) => {
      note(String(response.statusCode));
      response.on('data', () => {}).on('close', () => resolve(response.statusCode));
    });
    outgoing.on('error', (error) => {
      note('code' in error ? String(error.code) : 'error');
      setTimeout(resolve, PAUSE_AFTER_FAILURE_MS);
    });
    outgoing.end(bytes);
  });
}

/** @param {number} line */
async function flood(line) {
  for (let index = line; !isStopped && sent < requestsMax; index += 1) {
    const next = requests[index % requests.length];
    if (next !== undefined) await send(next);
  }
}

/** Opens a connection again whenever it is closed. */
function hold() {
  if (isStopped || sent >= requestsMax) return;
  sent += 1;
  const socket = connect({ host: hostname, port: Number(port), localAddress }, () => {
    note('held');
    socket.write(held ?? '');
  });
  socket.on('error', () => note('error'));
  socket.on('data', () => {});
  socket.on('close', () => setTimeout(hold, PAUSE_AFTER_FAILURE_MS));
  open.add(socket);
}

/** @type {Set<import('node:net').Socket>} */
const open = new Set();
parentPort?.on('message', () => {
  isStopped = true;
  agent.destroy();
  for (const socket of open) socket.destroy();
  parentPort?.postMessage(outcomes, []);
  parentPort?.close();
});
for (let line = 0; line < connections; line += 1) {
  if (held === undefined) void flood(line);
  else hold();
}
parentPort?.postMessage('running', []);
