import { createHash, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import type { PGlite } from '@electric-sql/pglite';
import { FrameReader } from './frames.js';
import { endsIdle, fatalError, PASSWORD_REQUEST, readParameters, SYNC, WELCOME } from './messages.js';
import { READER, SEARCH_PATH } from './tables.js';

const PROTOCOL_3 = 196_608;
/** Requests for encryption, which the server declines: it listens on loopback only. */
const ENCRYPTION_REQUESTS = [80_877_103, 80_877_104];
const TERMINATE = 'X'.charCodeAt(0);
/** How long a client may send nothing before the authentication or within a transaction. */
const IDLE_MS = 60_000;

/**
 * Serves clients of PostgreSQL's wire protocol on one embedded database, which has one session. Clients take
 * turns by transaction, as with a transaction pooler, and each begins with fresh settings.
 */
export class Sessions {
  readonly #database: PGlite;
  readonly #password: string;
  #lastTurn: Promise<unknown> = Promise.resolve();
  #lastClient: Socket | undefined;

  constructor(database: PGlite, password: string) {
    this.#database = database;
    this.#password = password;
  }

  /** Serves a client until it disconnects. */
  async serve(socket: Socket): Promise<void> {
    socket.setNoDelay(true);
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    // A broken connection ends the reading; without a listener it would also throw.
    socket.on('error', () => {});
    try {
      const frames = new FrameReader(socket);
      if (await this.#authenticate(socket, frames)) await this.#runMessages(socket, frames);
    } catch {
      socket.destroy();
    } finally {
      socket.end();
    }
  }

  /** Runs statements as the owner of the database, between the turns of clients. */
  async runAsOwner(sql: string): Promise<void> {
    const endTurn = await this.#takeTurn();
    try {
      this.#lastClient = undefined;
      await this.#database.exec('DISCARD ALL');
      await this.#database.exec(sql);
    } finally {
      endTurn();
    }
  }

  async #authenticate(socket: Socket, frames: FrameReader): Promise<boolean> {
    let startup = await frames.readStartup();
    while (startup !== null && ENCRYPTION_REQUESTS.includes(startup.readInt32BE(4))) {
      socket.write('N');
      startup = await frames.readStartup();
    }
    // Another code is a request to cancel, which has no response, or another version of the protocol.
    if (startup === null || startup.readInt32BE(4) !== PROTOCOL_3) return false;
    socket.write(PASSWORD_REQUEST);
    const password = (await frames.readPassword()) ?? '';
    const isKnown = readParameters(startup).get('user') === READER && isSame(password, this.#password);
    socket.write(isKnown ? WELCOME : fatalError('28P01', 'password authentication failed'));
    return isKnown;
  }

  async #runMessages(socket: Socket, frames: FrameReader): Promise<void> {
    let endTurn: (() => void) | undefined;
    // A client may rest, but not within a transaction, in which the others wait for it.
    socket.removeAllListeners('timeout').on('timeout', () => {
      if (endTurn !== undefined) socket.destroy();
    });
    try {
      for (;;) {
        const message = await frames.readMessage();
        if (message === null || message[0] === TERMINATE) return;
        endTurn ??= await this.#beginTurn(socket);
        const response = await this.#database.execProtocolRaw(message);
        socket.write(response);
        if (!endsIdle(response)) continue;
        endTurn();
        endTurn = undefined;
      }
    } finally {
      if (endTurn !== undefined) await this.#abandon(endTurn);
    }
  }

  /** Ends the transaction of a client that has disconnected within it. */
  async #abandon(endTurn: () => void): Promise<void> {
    try {
      await this.#database.execProtocolRaw(SYNC);
      await this.#database.exec('ROLLBACK');
    } finally {
      endTurn();
    }
  }

  async #beginTurn(client: Socket): Promise<() => void> {
    const endTurn = await this.#takeTurn();
    if (client === this.#lastClient) return endTurn;
    this.#lastClient = undefined;
    try {
      await this.#database.exec('DISCARD ALL');
      await this.#database.exec(
        `SET search_path = ${SEARCH_PATH}; SET default_transaction_read_only = on; SET ROLE ${READER}`,
      );
    } catch (error) {
      endTurn();
      throw error;
    }
    this.#lastClient = client;
    return endTurn;
  }

  /** Resolves when it is the caller's turn, with the function that ends the turn. */
  async #takeTurn(): Promise<() => void> {
    const before = this.#lastTurn;
    let endTurn: () => void = () => {};
    this.#lastTurn = new Promise<void>((resolve) => (endTurn = resolve));
    await before;
    return endTurn;
  }
}

/** Compares in constant time. */
function isSame(given: string, expected: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
