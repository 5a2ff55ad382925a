/** The formats of secrets: environment files, and the users of nats-server. */
import { randomBytes } from 'node:crypto';
import { permissionsOf } from '../busPermissions.mjs';
import { processData } from '../serviceData.mjs';

export const password = () => randomBytes(24).toString('base64url');

/** @param {Record<string, string>} values */
export const environment = (values) =>
  `${Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')}\n`;

/**
 * The secrets of one process: only those that its manifest entry names.
 * @param {string} name
 * @param {{ bus: string, database: string }} passwords
 * @param {Readonly<Record<string, string>>} keys
 * @throws if a key is missing
 */
export function secretsOf(name, passwords, keys) {
  const { secrets, database } = processData(name);
  const place = `mongodb-0.mongodb:27017/?replicaSet=rs0&authSource=gatehouse_${database}`;
  /** @type {Record<string, string>} */
  const values = {
    ...keys,
    MONGODB_URL: `mongodb://${name}:${passwords.database}@${place}`,
    NATS_URL: `nats://${name}:${passwords.bus}@nats:4222`,
  };
  const missing = secrets.filter((secret) => values[secret] === undefined);
  if (missing.length > 0) throw new Error(`${name} needs ${missing.join(', ')}: create it by hand`);
  return Object.fromEntries(secrets.map((secret) => [secret, values[secret] ?? '']));
}

/**
 * The user of a process in the settings of nats-server.
 * @param {string} name
 * @param {string} busPassword
 */
export const busUser = (name, busPassword) =>
  `      { user: ${name}, password: "${busPassword}", permissions: ${JSON.stringify(permissionsOf(name))} }`;
