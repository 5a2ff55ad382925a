import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDataDir } from '@gatehouse/testing';
import { BSON, type Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbeddedEngine, type EmbeddedEngine } from './embeddedEngine.js';

const OP_MSG = 2013;
const OP_QUERY = 2004;
const MORE_TO_COME = 2;

let dataDir: string;
let engine: EmbeddedEngine;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-host-'));
  engine = await startEmbeddedEngine({ dataDir });
});
afterAll(async () => {
  await engine.stop();
  await removeDataDir(dataDir);
});

function frame(requestId: number, operation: number, body: Uint8Array): Buffer {
  const message = Buffer.alloc(16 + body.length);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(requestId, 4);
  message.writeInt32LE(operation, 12);
  message.set(body, 16);
  return message;
}

function command(requestId: number, document: Document, flags = 0): Buffer {
  const head = Buffer.from([flags, 0, 0, 0, 0]);
  return frame(requestId, OP_MSG, Buffer.concat([head, BSON.serialize({ ...document, $db: 'test' })]));
}

async function open(): Promise<Socket> {
  const socket = connect(decodeURIComponent(new URL(engine.url).hostname));
  await once(socket, 'connect');
  return socket;
}

interface Reply {
  operation: number;
  responseTo: number;
  document: Document;
}

async function readReplies(socket: Socket, count: number): Promise<Reply[]> {
  const replies: Reply[] = [];
  let received = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    received = Buffer.concat([received, chunk as Buffer]);
    while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
      const size = received.readInt32LE(0);
      const operation = received.readInt32LE(12);
      const document = BSON.deserialize(received.subarray(operation === OP_MSG ? 21 : 36, size));
      replies.push({ operation, responseTo: received.readInt32LE(8), document });
      received = received.subarray(size);
    }
    if (replies.length >= count) return replies;
  }
  throw new Error(`The connection closed after ${replies.length} of ${count} replies.`);
}

/**
 * Sends bytes until the host closes the connection, then returns the host's reply on an earlier connection.
 */
async function waitForHangUp(bytes: Uint8Array): Promise<Reply[]> {
  const socket = await open();
  const neighbour = await open();
  try {
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    socket.resume().write(bytes);
    await closed;
    neighbour.write(command(1, { ping: 1 }));
    return await readReplies(neighbour, 1);
  } finally {
    socket.destroy();
    neighbour.destroy();
  }
}

describe("the host's wire protocol", () => {
  it('processes pipelined messages in order, each with the id of its request', async () => {
    const socket = await open();
    const ids = Array.from({ length: 200 }, (_, index) => 1_000 + index);
    socket.write(Buffer.concat(ids.map((id) => command(id, { ping: 1 }))));
    const replies = await readReplies(socket, ids.length);
    expect(replies.map((reply) => reply.responseTo)).toEqual(ids);
    expect(replies.every((reply) => reply.operation === OP_MSG && reply.document['ok'] === 1)).toBe(true);
    socket.destroy();
  });

  it('assembles messages that arrive one byte at a time', async () => {
    const socket = await open();
    socket.setNoDelay(true);
    for (const byte of Buffer.concat([command(7, { ping: 1 }), command(8, { ping: 1 })])) {
      socket.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await readReplies(socket, 2)).map((reply) => reply.responseTo)).toEqual([7, 8]);
    socket.destroy();
  });

  it('accepts a pipeline of messages that are each larger than a chunk', async () => {
    const socket = await open();
    const ids = Array.from({ length: 30 }, (_, index) => index + 1);
    const text = 'x'.repeat(300_000);
    const inserts = ids.map((_id) => command(_id, { insert: 'piped', documents: [{ _id, text }] }));
    socket.write(Buffer.concat(inserts));
    const replies = await readReplies(socket, ids.length);
    expect(replies.map((reply) => [reply.responseTo, reply.document['n']])).toEqual(ids.map((id) => [id, 1]));
    socket.destroy();
  });

  it('writes no reply to a message that requests none', async () => {
    const socket = await open();
    const documents = [{ _id: 1 }];
    socket.write(command(1, { insert: 'quiet', documents, writeConcern: { w: 0 } }, MORE_TO_COME));
    socket.write(command(2, { count: 'quiet' }));
    const [reply] = await readReplies(socket, 1);
    expect(reply).toMatchObject({ responseTo: 2, document: { n: 1, ok: 1 } });
    socket.destroy();
  });

  it('answers the older handshake with the older reply', async () => {
    const socket = await open();
    const name = Buffer.from('admin.$cmd\0');
    const skipAndReturn = Buffer.from([0, 0, 0, 0, 255, 255, 255, 255]);
    const query = Buffer.concat([Buffer.alloc(4), name, skipAndReturn, BSON.serialize({ isMaster: 1 })]);
    socket.write(frame(5, OP_QUERY, query));
    const [reply] = await readReplies(socket, 1);
    expect(reply).toMatchObject({ operation: 1, responseTo: 5, document: { ok: 1 } });
    socket.destroy();
  });

  it.each([
    ['a size below that of a header', Buffer.from(Int32Array.of(15, 1, 0, OP_MSG).buffer)],
    ['a negative size', Buffer.from(Int32Array.of(-1, 1, 0, OP_MSG).buffer)],
    ['a size above the limit', Buffer.from(Int32Array.of(48_000_001, 1, 0, OP_MSG).buffer)],
    ['an operation that is not served', frame(1, 2012, Buffer.alloc(9))],
    ['a request of another protocol', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
    ['a message without a body', frame(1, OP_MSG, Buffer.alloc(0))],
    ['a message of noise', frame(1, OP_MSG, Buffer.alloc(64, 0xff))],
  ])('closes only the connection that sends %s', async (_what, bytes) => {
    expect(await waitForHangUp(bytes)).toMatchObject([{ responseTo: 1, document: { ok: 1 } }]);
  });

  it('survives truncated and altered messages', async () => {
    const whole = command(1, { find: 'piped', filter: { _id: { $in: [1, 2] } }, limit: 1 });
    for (let index = 16; index < whole.length; index++) {
      const altered = Buffer.from(whole);
      altered[index] = (altered[index] ?? 0) ^ 0xff;
      const cut = Buffer.from(whole.subarray(0, index));
      cut.writeInt32LE(index, 0);
      for (const message of [altered, cut]) {
        const socket = await open();
        socket.on('error', () => {});
        socket.end(message);
        await once(socket.resume(), 'close');
      }
    }
    const socket = await open();
    socket.write(command(9, { ping: 1 }));
    expect((await readReplies(socket, 1))[0]?.document).toMatchObject({ ok: 1 });
    socket.destroy();
  });
});
