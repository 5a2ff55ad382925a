import { randomBytes } from 'node:crypto';
import { generateInternalKeys, type InternalKeys } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { createApi, type Api } from '../api.js';
import { bothForms, type Form, type Settings, type TestServer } from '../servers.js';

/** A platform whose keys and stores the test holds as its operator does. */
export interface OwnedPlatform extends AsyncDisposable {
  server: TestServer;
  api: Api;
  mongo: TestMongo;
  /** With these, another process is a replica of this platform. */
  settings: Settings & { SEALING_KEYS: string };
  /** Of the mesh; the standalone makes its own at each start. */
  internalKeys: InternalKeys;
}

/** Starts a form of the platform. */
export async function startForm(form: Form, settings: Settings): Promise<TestServer> {
  const found = bothForms.find((candidate) => candidate.form === form);
  if (!found) throw new Error(`No form ${form}`);
  return found.start(settings);
}

export async function startOwnedPlatform(form: Form, more: Settings = {}): Promise<OwnedPlatform> {
  const mongo = await startTestMongo();
  const internalKeys = await generateInternalKeys();
  const settings = {
    MONGODB_URL: mongo.url,
    MONGODB_PREFIX: mongo.prefix,
    SEALING_KEYS: randomBytes(32).toString('base64'),
    INTERNAL_SIGNING_KEY: internalKeys.signingKey,
    ...more,
  };
  const server = await startForm(form, settings);
  return {
    server,
    api: await createApi(server.credentials),
    mongo,
    settings,
    internalKeys,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await mongo[Symbol.asyncDispose]();
    },
  };
}
