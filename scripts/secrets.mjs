/**
 * Creates the secrets of a platform that runs in containers with its own MongoDB and NATS, as environment
 * files, and the credentials of its first organization, which the job in infra/k8s/bootstrap creates:
 *
 *     npm run secrets [-- <folder>]
 *
 * By default, they are written to where the local Kubernetes overlay and the compose file expect them.
 * Existing secrets do not change: the keys of a database with data must stay the same. For a service that was
 * added to the manifest, its secrets are added to the files.
 */
import { randomBytes, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readArguments } from './arguments.mjs';
import { addProcesses } from './secrets/addProcesses.mjs';
import { busUser, environment, password, secretsOf } from './secrets/format.mjs';
import { PROCESS_NAMES, SERVICE_NAMES } from './serviceData.mjs';

const FOLDER = 'infra/k8s/overlays/local/secrets';

const [target = FOLDER] = readArguments('npm run secrets [-- <folder>]', 1);
const folder = path.resolve(import.meta.dirname, '..', target);

/** A new Ed25519 key pair as JWKs. @param {object} naming */
function createKey(naming) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const write = (/** @type {import('node:crypto').KeyObject} */ key) => ({
    ...key.export({ format: 'jwk' }),
    ...naming,
  });
  return { publicKey: write(publicKey), signingKey: JSON.stringify(write(privateKey)) };
}

const gateway = createKey({});
const lifecycle = createKey({ kid: 'lifecycle' });
const keys = {
  INTERNAL_SIGNING_KEY: gateway.signingKey,
  INTERNAL_VERIFY_KEY: JSON.stringify({ keys: [gateway.publicKey, lifecycle.publicKey] }),
  LIFECYCLE_SIGNING_KEY: lifecycle.signingKey,
  SEALING_KEYS: randomBytes(32).toString('base64'),
};
const databasePasswords = Object.fromEntries(SERVICE_NAMES.map((name) => [name, password()]));
const busPasswords = Object.fromEntries(PROCESS_NAMES.map((name) => [name, password()]));

const newId = (/** @type {string} */ prefix) => prefix + randomBytes(12).toString('base64url');
const credentials = {
  baseUrl: 'http://127.0.0.1:8080',
  organizationId: newId('o_'),
  projectId: newId('p_'),
  projectSecret: randomBytes(32).toString('base64url'),
  adminOrgUserId: newId('ou_'),
};

/** @param {string} name */
const passwordsOf = (name) => ({ bus: busPasswords[name] ?? '', database: databasePasswords[name] ?? '' });

const operatorPassword = password();
const files = {
  ...Object.fromEntries(
    PROCESS_NAMES.map((name) => [`${name}.env`, environment(secretsOf(name, passwordsOf(name), keys))]),
  ),
  'mongodb.env': environment({
    username: 'root',
    password: password(),
    keyFile: randomBytes(96).toString('base64'),
  }),
  'mongodb-users.env': environment(databasePasswords),
  // One account for the platform, with a separate user for each process: one can be revoked without the
  // others, and each may publish only its own events. The operator's user is for `npm run events`.
  'operator.env': environment({ NATS_URL: `nats://operator:${operatorPassword}@nats:4222` }),
  'nats.conf': `port: 4222
http_port: 8222
jetstream { store_dir: /data }
accounts {
  gatehouse {
    jetstream: enabled
    users: [
${PROCESS_NAMES.map((name) => busUser(name, passwordsOf(name).bus)).join('\n')}
      { user: operator, password: "${operatorPassword}" }
    ]
  }
}
`,
};

/**
 * Writes files that belong together, unless they exist.
 * @param {Record<string, string>} texts
 * @returns {number} how many were written
 */
function writeOnce(texts) {
  try {
    // The last of them marks the set as complete.
    for (const [name, text] of Object.entries(texts))
      writeFileSync(path.join(folder, name), text, { flag: 'wx', mode: 0o600 });
    return Object.keys(texts).length;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    return 0;
  }
}

mkdirSync(folder, { recursive: true, mode: 0o700 });
const count =
  writeOnce(files) + writeOnce({ 'credentials.json': `${JSON.stringify(credentials, null, 2)}\n` });
const added = count > 0 ? [] : addProcesses(folder);
if (count > 0) console.log(`Made ${count} files in ${folder}`);
else if (added.length > 0) console.log(`Added the secrets of ${added.join(', ')} to ${folder}`);
else console.log(`${folder} has secrets already; they stay as they are`);
