import { open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { newId, newSecret } from '@gatehouse/service';

/** The target that prints credentials instead of writing them to a file. */
export const STANDARD_OUTPUT = '-';

/** The values that the operator of an installation needs to request a first token. */
export interface Credentials {
  baseUrl: string;
  organizationId: string;
  projectId: string;
  projectSecret: string;
  adminOrgUserId: string;
}

interface ProvidedCredentials {
  credentials: Credentials;
  isFresh: boolean;
  /** Deletes the file of fresh credentials that the database rejects. */
  withdraw(): Promise<void>;
}

const OWNER_ONLY = 0o600;

/**
 * Reads the credentials in a file. If there is no file, writes fresh credentials to it, or to standard
 * output.
 *
 * @param requireNew throws when fresh credentials are not allowed.
 * @throws Error when the file contains something else.
 */
export async function provideCredentials(
  target: string,
  baseUrl: string,
  requireNew: () => Promise<void>,
): Promise<ProvidedCredentials> {
  const known = target === STANDARD_OUTPUT ? null : await findCredentials(target);
  if (known) return { credentials: known, isFresh: false, withdraw: async () => {} };
  await requireNew();
  const credentials: Credentials = {
    baseUrl,
    organizationId: newId('organization'),
    projectId: newId('project'),
    projectSecret: newSecret(),
    adminOrgUserId: newId('orgUser'),
  };
  const text = `${JSON.stringify(credentials, null, 2)}\n`;
  if (target === STANDARD_OUTPUT) {
    await print(text);
    return { credentials, isFresh: true, withdraw: async () => {} };
  }
  await writeNew(target, text);
  return { credentials, isFresh: true, withdraw: () => rm(target) };
}

async function findCredentials(file: string): Promise<Credentials | null> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return null;
  try {
    const { baseUrl, organizationId, projectId, projectSecret, adminOrgUserId } = JSON.parse(
      text,
    ) as Credentials;
    return { baseUrl, organizationId, projectId, projectSecret, adminOrgUserId };
  } catch (cause) {
    throw new Error(`${file} does not hold credentials`, { cause });
  }
}

async function print(text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

/** Writes a new file and syncs it to disk: records created with the credentials must not outlive them. */
async function writeNew(file: string, text: string): Promise<void> {
  await using handle = await open(file, 'wx', OWNER_ONLY);
  await handle.writeFile(text);
  await handle.sync();
  await using folder = await open(dirname(file), 'r');
  await folder.sync();
}
