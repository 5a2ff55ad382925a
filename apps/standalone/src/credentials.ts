import { randomBytes } from 'node:crypto';
import { Id, Secret } from '@gatehouse/contract';
import { createSealer, newId, newSecret } from '@gatehouse/service';
import { z } from 'zod';
import type { DataDirectory } from './dataDirectory.js';

const Credentials = z.object({
  baseUrl: z.string(),
  organizationId: Id,
  projectId: Id,
  projectSecret: Secret,
  adminOrgUserId: Id,
});
/** What the operator of an installation needs to request a first token. */
export type Credentials = z.infer<typeof Credentials>;

export const CREDENTIALS_FILE = 'credentials.json';
const SEALING_KEY_FILE = 'sealing.key';
const SEALING_KEY_BYTES = 32;

const toText = (credentials: Credentials) => `${JSON.stringify(credentials, null, 2)}\n`;

/**
 * Reads the credentials of an earlier start; null if there are none.
 * @throws if the file is damaged
 */
export async function findCredentials(directory: DataDirectory): Promise<Credentials | null> {
  const text = await directory.read(CREDENTIALS_FILE);
  return text === null ? null : parseCredentials(text, directory);
}

/**
 * Creates the ids and the secret of a new installation and stores them. They are stored before they are used:
 * if a start dies in between, the next one finds them here and completes it.
 */
export async function createCredentials(directory: DataDirectory, baseUrl: string): Promise<Credentials> {
  const fresh = {
    baseUrl,
    organizationId: newId('organization'),
    projectId: newId('project'),
    projectSecret: newSecret(),
    adminOrgUserId: newId('orgUser'),
  };
  return parseCredentials(await directory.createOnce(CREDENTIALS_FILE, toText(fresh)), directory);
}

/** Stores the address at which the gateway listens. */
export async function updateBaseUrl(
  directory: DataDirectory,
  credentials: Credentials,
  baseUrl: string,
): Promise<Credentials> {
  if (credentials.baseUrl === baseUrl) return credentials;
  const updated = { ...credentials, baseUrl };
  await directory.replace(CREDENTIALS_FILE, toText(updated));
  return updated;
}

/**
 * The key that seals secrets at rest, created on the first start.
 * @throws if the file is damaged
 */
export async function provideSealingKey(directory: DataDirectory): Promise<string> {
  const fresh = randomBytes(SEALING_KEY_BYTES).toString('base64');
  const key = (await directory.createOnce(SEALING_KEY_FILE, `${fresh}\n`)).trim();
  try {
    createSealer(key);
    return key;
  } catch (cause) {
    const file = directory.entry(SEALING_KEY_FILE);
    throw new Error(`${file} is damaged: it does not hold a key of 32 bytes in base64.`, { cause });
  }
}

function parseCredentials(text: string, directory: DataDirectory): Credentials {
  try {
    return Credentials.parse(JSON.parse(text));
  } catch (cause) {
    throw new Error(`${directory.entry(CREDENTIALS_FILE)} is damaged: it does not hold the credentials.`, {
      cause,
    });
  }
}
