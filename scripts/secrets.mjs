/**
 * Makes the secrets of a platform that runs in containers with a MongoDB and a NATS of its own, as environment files, and the
 * credentials of its first organization, which the job in infra/k8s/bootstrap makes:
 *
 *     npm run secrets [-- <folder>]
 *
 * By default where the local Kubernetes overlay and the compose file look for them. What is there already stays as it is: the
 * keys of a database that has data must not change.
 */
import { randomBytes, generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ON_THE_BUS, permissionsOf } from './busPermissions.mjs';

const FOLDER = 'infra/k8s/overlays/local/secrets';
const PROCESSES = Object.keys(ON_THE_BUS);
const SEALING = ['audit', 'directory', 'lifecycle', 'policy', 'semantics'];

const folder = path.resolve(import.meta.dirname, '..', process.argv[2] ?? FOLDER);

const password = () => randomBytes(24).toString('base64url');

/** A new Ed25519 key pair as JWKs. @param {object} naming */
function createKey(naming) {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const write = (/** @type {import('node:crypto').KeyObject} */ key) => ({
    ...key.export({ format: 'jwk' }),
    ...naming,
  });
  return { publicKey: write(publicKey), signingKey: JSON.stringify(write(privateKey)) };
}

/** @param {Record<string, string>} values */
const environment = (values) =>
  `${Object.entries(values)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')}\n`;

const gateway = createKey({});
const lifecycle = createKey({ kid: 'lifecycle' });
const verifyKey = JSON.stringify({ keys: [gateway.publicKey, lifecycle.publicKey] });
const sealingKeys = randomBytes(32).toString('base64');
const databasePasswords = Object.fromEntries(PROCESSES.slice(1).map((name) => [name, password()]));
const busPasswords = Object.fromEntries(PROCESSES.map((name) => [name, password()]));

const newId = (/** @type {string} */ prefix) => prefix + randomBytes(12).toString('base64url');
const credentials = {
  baseUrl: 'http://127.0.0.1:8080',
  organizationId: newId('o_'),
  projectId: newId('p_'),
  projectSecret: randomBytes(32).toString('base64url'),
  adminOrgUserId: newId('ou_'),
};

/** The secrets of one process: those that it needs and no others. @param {string} name */
function secretsOf(name) {
  const bus = { NATS_URL: `nats://${name}:${busPasswords[name]}@nats:4222` };
  if (name === 'gateway') return { ...bus, INTERNAL_SIGNING_KEY: gateway.signingKey };
  const place = `mongodb-0.mongodb:27017/?replicaSet=rs0&authSource=gatehouse_${name}`;
  return {
    ...bus,
    INTERNAL_VERIFY_KEY: verifyKey,
    MONGODB_URL: `mongodb://${name}:${databasePasswords[name]}@${place}`,
    ...(SEALING.includes(name) && { SEALING_KEYS: sealingKeys }),
    ...(name === 'lifecycle' && { LIFECYCLE_SIGNING_KEY: lifecycle.signingKey }),
  };
}

const users = PROCESSES.map(
  (name) =>
    `      { user: ${name}, password: "${busPasswords[name]}", permissions: ${JSON.stringify(permissionsOf(name))} }`,
);
const operatorPassword = password();
const files = {
  ...Object.fromEntries(PROCESSES.map((name) => [`${name}.env`, environment(secretsOf(name))])),
  'mongodb.env': environment({
    username: 'root',
    password: password(),
    keyFile: randomBytes(96).toString('base64'),
  }),
  'mongodb-users.env': environment(databasePasswords),
  // One account for the platform, and in it a user of its own for each process: one can be shut out without the others, and none may
  // say what is not its to say. The operator's is for `npm run events`.
  'operator.env': environment({ NATS_URL: `nats://operator:${operatorPassword}@nats:4222` }),
  'nats.conf': `port: 4222
http_port: 8222
jetstream { store_dir: /data }
accounts {
  gatehouse {
    jetstream: enabled
    users: [
${users.join('\n')}
      { user: operator, password: "${operatorPassword}" }
    ]
  }
}
`,
};

/** Writes files that belong together, unless they are there. @param {Record<string, string>} texts @returns {number} how many */
function writeOnce(texts) {
  try {
    // The last of them says that all are there.
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
console.log(
  count > 0 ? `Made ${count} files in ${folder}` : `${folder} has secrets already; they stay as they are`,
);
