// @ts-check
/**
 * The part of MongoDB's wire protocol that the substitute needs:
 * https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
 */
import { BSON } from 'mongodb';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
const HEADER_BYTES = 16;
const MORE_TO_COME = 2;

/**
 * @typedef {object} Request a command
 * @property {Buffer} message as received
 * @property {number} requestId
 * @property {boolean} isLegacy whether it has the form that remains for first handshakes
 * @property {boolean} wantsAnswer
 * @property {string} db of the command
 * @property {string} name
 * @property {Record<string, any>} body
 */

/** Splits the data of a connection into messages. */
export class MessageSplitter {
  /** @type {Buffer[]} */
  #chunks = [];
  #bytes = 0;

  /**
   * @param {Buffer} chunk
   * @returns {Buffer[]} the messages that are complete by now
   */
  push(chunk) {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    const messages = [];
    while (this.#bytes >= HEADER_BYTES) {
      const size = this.#join(HEADER_BYTES).readInt32LE(0);
      if (this.#bytes < size) break;
      const joined = this.#join(size);
      messages.push(joined.subarray(0, size));
      this.#chunks[0] = joined.subarray(size);
      this.#bytes -= size;
    }
    return messages;
  }

  /** @param {number} size that the first chunk must have at least */
  #join(size) {
    if ((this.#chunks[0]?.length ?? 0) < size) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }
}

/**
 * The document with the command of a message: the section of kind 0.
 * @param {Buffer} message of the present form
 */
function findBody(message) {
  for (let at = HEADER_BYTES + 4; at < message.length;) {
    const size = message.readInt32LE(at + 1);
    if (message[at] === 0) return message.subarray(at + 1, at + 1 + size);
    at += 1 + size;
  }
  throw new RangeError('message without a command');
}

/**
 * @param {Buffer} message
 * @returns {Request}
 */
export function readRequest(message) {
  const requestId = message.readInt32LE(4);
  const isLegacy = message.readInt32LE(12) === OP_QUERY;
  if (!isLegacy && message.readInt32LE(12) !== OP_MSG) throw new RangeError('message operation');
  const flags = message.readInt32LE(HEADER_BYTES);
  // The legacy form: flags, the name of a collection, two numbers, the command.
  const end = message.indexOf(0, HEADER_BYTES + 4);
  const body = BSON.deserialize(isLegacy ? message.subarray(end + 9) : findBody(message));
  const db = isLegacy ? message.toString('utf8', HEADER_BYTES + 4, end).split('.')[0] : body['$db'];
  return {
    message,
    requestId,
    isLegacy,
    wantsAnswer: isLegacy || (flags & MORE_TO_COME) === 0,
    db: String(db),
    name: Object.keys(body)[0] ?? '',
    body,
  };
}

let answers = 0;

/**
 * @param {Request} request
 * @param {Record<string, unknown>} document
 */
export function writeAnswer({ isLegacy, requestId }, document) {
  const body = BSON.serialize(document);
  // Before the document, the legacy form has flags, a cursor's id, a start and a count; the other has flags
  // and the kind.
  const head = Buffer.alloc(HEADER_BYTES + (isLegacy ? 20 : 5));
  head.writeInt32LE(head.length + body.length, 0);
  head.writeInt32LE((answers = (answers + 1) | 0), 4);
  head.writeInt32LE(requestId, 8);
  head.writeInt32LE(isLegacy ? OP_REPLY : OP_MSG, 12);
  if (isLegacy) head.writeInt32LE(1, head.length - 4);
  return Buffer.concat([head, body]);
}
