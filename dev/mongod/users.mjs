// @ts-check
import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { CommandError } from './errors.mjs';
import { makeCredential } from './scram.mjs';

/**
 * The commands that MongoDB's role `readWrite` permits on its database, as far as the platform might send
 * them.
 */
const READ_WRITE = new Set(
  (
    'find getMore killCursors aggregate count distinct explain insert update delete findAndModify ' +
    'create drop createIndexes dropIndexes listCollections listIndexes collStats dbStats'
  ).split(' '),
);

/**
 * @typedef {{ role: string, db: string }} Role
 * @typedef {object} User
 * @property {string} id one that is made again is another
 * @property {string} name
 * @property {string} db that knows the user
 * @property {Role[]} roles
 * @property {import('./scram.mjs').Credential} credential
 */

/** The users, stored in a file. */
export class Users {
  #file;
  /** @type {Map<string, User>} */
  #users = new Map();

  /** @param {string} file */
  constructor(file) {
    this.#file = file;
  }

  async load() {
    const text = await readFile(this.#file, 'utf8').catch(() => '[]');
    for (const user of JSON.parse(text)) this.#users.set(`${user.db}.${user.name}`, user);
  }

  async #save() {
    await writeFile(`${this.#file}.next`, JSON.stringify([...this.#users.values()]), { mode: 0o600 });
    await rename(`${this.#file}.next`, this.#file);
  }

  /** @param {string} db @param {string} name */
  find(db, name) {
    return this.#users.get(`${db}.${name}`);
  }

  /** @param {string} db @param {string} name */
  #require(db, name) {
    const user = this.find(db, name);
    if (!user) throw new CommandError(11, 'UserNotFound', `Could not find user "${name}" for db "${db}"`);
    return user;
  }

  /** @param {string} db @param {string} name @param {{ pwd: string, roles: unknown[] }} given */
  async create(db, name, { pwd, roles }) {
    if (this.find(db, name)) {
      throw new CommandError(51003, 'Location51003', `User "${name}@${db}" already exists`);
    }
    const user = { id: randomUUID(), name, db, roles: readRoles(db, roles), credential: makeCredential(pwd) };
    this.#users.set(`${db}.${name}`, user);
    await this.#save();
  }

  /** @param {string} db @param {string} name @param {{ pwd?: string, roles?: unknown[] }} changes */
  async update(db, name, { pwd, roles }) {
    const user = this.#require(db, name);
    if (roles !== undefined) user.roles = readRoles(db, roles);
    if (pwd !== undefined) user.credential = makeCredential(pwd);
    await this.#save();
  }

  /** @param {string} db @param {string} name */
  async drop(db, name) {
    this.#require(db, name);
    this.#users.delete(`${db}.${name}`);
    await this.#save();
  }
}

/** @param {string} db @param {unknown[]} roles @returns {Role[]} */
function readRoles(db, roles) {
  return roles.map((given) => {
    const role = typeof given === 'string' ? { role: given, db } : /** @type {Role} */ (given);
    const isKnown = role.role === 'readWrite' || (role.role === 'root' && role.db === 'admin');
    if (!isKnown) throw new CommandError(31, 'RoleNotFound', `Could not find role: ${role.role}@${role.db}`);
    return { role: role.role, db: role.db };
  });
}

/**
 * Whether a user may send a command to a database. The other databases of an aggregation are not checked.
 * @param {User} user @param {string} db @param {string} command
 */
export function isAllowed({ roles }, db, command) {
  return roles.some(({ role, db: own }) => role === 'root' || (own === db && READ_WRITE.has(command)));
}
