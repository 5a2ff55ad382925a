// @ts-check
import { readFile, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { Connection } from './connection.mjs';
import { CommandError } from './errors.mjs';
import { Users } from './users.mjs';

/**
 * @typedef {object} ServerOptions
 * @property {string} engineSocket the unix socket of an embedded engine
 * @property {string} folder where the users and the replica set are kept
 * @property {string | undefined} setName of the replica set, where it is one
 */

/** The embedded engine behind users with roles, and as a replica set of one member. */
export class Server {
  #folder;
  /** @type {Set<Connection>} */
  #connections = new Set();
  /** @type {Record<string, unknown>} */
  #engineGreeting = {};
  /** @type {string | undefined} */
  #member;
  #lastId = 0;

  /** @param {ServerOptions} options */
  constructor({ engineSocket, folder, setName }) {
    this.engineSocket = engineSocket;
    this.setName = setName;
    this.#folder = folder;
    this.users = new Users(join(folder, 'users.json'));
  }

  /** @param {ServerOptions} options */
  static async open(options) {
    const server = new Server(options);
    const client = new MongoClient(
      `mongodb://${encodeURIComponent(options.engineSocket)}/?directConnection=true`,
    );
    server.#engineGreeting = await client.db('admin').command({ hello: 1 });
    await client.close();
    await server.users.load();
    server.#member = await readFile(server.#memberFile, 'utf8').catch(() => undefined);
    return server;
  }

  /** @param {{ host: string, port: number }} place */
  async listen(place) {
    const server = createServer({ noDelay: true }, (socket) => {
      const connection = new Connection((this.#lastId += 1), socket, this);
      this.#connections.add(connection);
      socket.on('close', () => this.#connections.delete(connection));
    });
    await once(server.listen(place), 'listening');
  }

  get #memberFile() {
    return join(this.#folder, 'member');
  }

  connections() {
    return [...this.#connections];
  }

  /** Whether it serves: a member of a replica set does so once the set is initiated. */
  get isPrimary() {
    return this.setName === undefined || this.#member !== undefined;
  }

  replicaSet() {
    if (this.setName === undefined) {
      throw new CommandError(76, 'NoReplicationEnabled', 'not running with --replSet');
    }
    if (this.#member === undefined) {
      throw new CommandError(94, 'NotYetInitialized', 'no replset config has been received');
    }
    return { member: this.#member };
  }

  /** @param {{ _id: string, members: { host: string }[] }} config */
  async initiate({ _id, members }) {
    if (this.#member !== undefined) throw new CommandError(23, 'AlreadyInitialized', 'already initialized');
    const [member, ...others] = members;
    if (_id !== this.setName || !member || others.length > 0) {
      throw new CommandError(93, 'InvalidReplicaSetConfig', `one member of ${this.setName} is wanted`);
    }
    await writeFile(this.#memberFile, member.host);
    this.#member = member.host;
  }

  /** Its description in the reply to a handshake. */
  greeting() {
    const common = { ...this.#engineGreeting, localTime: new Date() };
    if (this.setName === undefined) return common;
    const member = this.#member;
    const isPrimary = { isWritablePrimary: this.isPrimary, ismaster: this.isPrimary, secondary: false };
    if (member === undefined) return { ...common, ...isPrimary, isreplicaset: true };
    return {
      ...common,
      ...isPrimary,
      setName: this.setName,
      setVersion: 1,
      hosts: [member],
      primary: member,
      me: member,
    };
  }
}
