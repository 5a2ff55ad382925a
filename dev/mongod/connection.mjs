// @ts-check
import { connect } from 'node:net';
import { EARLY_COMMANDS, OPEN_COMMANDS, OWN_COMMANDS } from './commands.mjs';
import { CommandError } from './errors.mjs';
import { isAllowed } from './users.mjs';
import { MessageSplitter, readRequest, writeAnswer } from './wire.mjs';

/** @typedef {import('./users.mjs').User} User */

/**
 * The connection of one client. Commands that the substitute does not handle go to the engine, if the client
 * is authorized.
 */
export class Connection {
  #socket;
  /** @type {import('node:net').Socket | undefined} */
  #engine;
  #splitter = new MessageSplitter();
  #engineSplitter = new MessageSplitter();
  /** @type {((answer: Buffer) => void) | undefined} */
  #answered;
  #last = Promise.resolve();
  /** @type {User | undefined} */
  #signedIn;
  /** @type {{ user: User, exchange: import('./scram.mjs').ScramExchange } | undefined} */
  attempt;

  /**
   * @param {number} id
   * @param {import('node:net').Socket} socket
   * @param {import('./server.mjs').Server} server
   */
  constructor(id, socket, server) {
    this.id = id;
    this.server = server;
    this.#socket = socket;
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#engine?.destroy());
    socket.on('data', (chunk) => {
      for (const message of this.#splitter.push(chunk)) {
        this.#last = this.#last.then(() => this.#answer(message)).catch(() => void socket.destroy());
      }
    });
  }

  /** The authenticated user; undefined after the user was dropped. */
  get user() {
    const { db = '', name = '', id } = this.#signedIn ?? {};
    const user = this.server.users.find(db, name);
    return user?.id === id ? user : undefined;
  }

  /** @param {User} user */
  signIn(user) {
    this.#signedIn = user;
  }

  /** @param {Buffer} message */
  async #answer(message) {
    const request = readRequest(message);
    /** @type {Buffer | undefined} */
    let answer;
    try {
      this.#check(request);
      const own = OWN_COMMANDS[request.name];
      answer = own ? writeAnswer(request, await own(request, this)) : await this.#passOn(request);
    } catch (error) {
      if (!(error instanceof CommandError)) throw error;
      const { code, codeName, message: errmsg } = error;
      answer = writeAnswer(request, { ok: 0, errmsg, code, codeName });
    }
    if (request.wantsAnswer && answer) this.#socket.write(answer);
  }

  /** @param {import('./wire.mjs').Request} request */
  #check({ name, db }) {
    if (OPEN_COMMANDS.has(name)) return;
    const { user } = this;
    if (!user) throw new CommandError(13, 'Unauthorized', `Command ${name} requires authentication`);
    if (!isAllowed(user, db, name)) {
      throw new CommandError(13, 'Unauthorized', `not authorized on ${db} to execute command ${name}`);
    }
    if (!this.server.isPrimary && !EARLY_COMMANDS.has(name)) {
      throw new CommandError(10107, 'NotWritablePrimary', 'not primary');
    }
  }

  /** @param {import('./wire.mjs').Request} request @returns {Promise<Buffer | undefined>} */
  #passOn({ message, wantsAnswer }) {
    const engine = (this.#engine ??= this.#connect());
    engine.write(message);
    if (!wantsAnswer) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#answered = resolve;
    });
  }

  #connect() {
    const engine = connect(this.server.engineSocket);
    engine.on('error', () => this.#socket.destroy()).on('close', () => this.#socket.destroy());
    engine.on('data', (chunk) => {
      for (const answer of this.#engineSplitter.push(chunk)) this.#answered?.(answer);
    });
    return engine;
  }
}
