/** Adds the secrets of processes that the manifest did not have when the other secrets were created. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PROCESS_NAMES, SERVICE_NAMES } from '../serviceData.mjs';
import { busUser, environment, password, secretsOf } from './format.mjs';

const DATABASE_USERS = 'mongodb-users.env';
const BUS = 'nats.conf';
const OPERATOR = /^ *\{ user: operator,/m;
/** The keys that several processes share. The signing keys belong to one process each. */
const SHARED_KEYS = ['INTERNAL_VERIFY_KEY', 'SEALING_KEYS'];

/**
 * Adds an environment file, a database user and a NATS user for each missing process. If it is interrupted,
 * the next call completes it: the environment file comes last.
 * @param {string} folder
 * @returns {string[]} the added processes
 */
export function addProcesses(folder) {
  const at = (/** @type {string} */ name) => path.join(folder, name);
  if (![DATABASE_USERS, BUS].every((name) => existsSync(at(name)))) return [];
  const read = (/** @type {string} */ name) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8') : '');
  const replace = (/** @type {string} */ name, /** @type {string} */ text) => {
    writeFileSync(at(`${name}.new`), text, { mode: 0o600 });
    renameSync(at(`${name}.new`), at(name));
  };
  const missing = PROCESS_NAMES.filter((name) => !existsSync(at(`${name}.env`)));
  const known = PROCESS_NAMES.flatMap((name) => Object.entries(readEnvironment(read(`${name}.env`))));
  const keys = Object.fromEntries(known.filter(([name]) => SHARED_KEYS.includes(name)));
  for (const name of missing) {
    const users = readEnvironment(read(DATABASE_USERS));
    const config = read(BUS);
    const present = new RegExp(`user: ${name}, password: "([^"]*)"`).exec(config)?.[1];
    const passwords = { database: users[name] ?? password(), bus: present ?? password() };
    const secrets = environment(secretsOf(name, passwords, keys));
    if (SERVICE_NAMES.includes(name))
      replace(DATABASE_USERS, environment({ ...users, [name]: passwords.database }));
    if (present === undefined)
      replace(
        BUS,
        config.replace(OPERATOR, (line) => `${busUser(name, passwords.bus)}\n${line}`),
      );
    replace(`${name}.env`, secrets);
  }
  return missing;
}

/** @param {string} text @returns {Record<string, string>} */
function readEnvironment(text) {
  const lines = text.split('\n').filter(Boolean);
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}
