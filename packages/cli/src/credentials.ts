import { randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from './environment.js';
import { EXIT_CODES } from './exitCodes.js';
import { CommandError, usageError } from './failures.js';

/** The subject that tokens are issued for. */
export interface ProjectCredentials {
  projectId: string;
  projectSecret: string;
  /** The user to act as; without either, the project itself. */
  orgUserId?: string;
  endUserId?: string;
}

/** The server, and the account there. */
export interface Account {
  baseUrl: string;
  /** Credentials, or an access token of the environment. */
  access: ProjectCredentials | { accessToken: string };
}

export const DEFAULT_URL = 'http://127.0.0.1:8080';

const fileOf = ({ configFolder }: Environment) => join(configFolder, 'credentials.json');

/** Whether an error means that the file does not exist. */
export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function notSignedIn(): CommandError {
  return new CommandError(EXIT_CODES.notAllowed, 'You are not signed in: run "gatehouse login" first');
}

/** Exactly one user, or none. */
export function actingUser(orgUserId: string | undefined, endUserId: string | undefined) {
  if (orgUserId !== undefined && endUserId !== undefined)
    throw usageError('An org user and an end user do not go together');
  return { ...(orgUserId !== undefined && { orgUserId }), ...(endUserId !== undefined && { endUserId }) };
}

/** The account in the environment variables; null if they contain none. */
function accountOfEnvironment(environment: Environment): Account | null {
  const { url, token, projectId, projectSecret, orgUserId, endUserId } = environment;
  const baseUrl = url ?? DEFAULT_URL;
  if (token !== undefined) return { baseUrl, access: { accessToken: token } };
  if (projectId === undefined || projectSecret === undefined) return null;
  return { baseUrl, access: { projectId, projectSecret, ...actingUser(orgUserId, endUserId) } };
}

interface StoredAccount extends ProjectCredentials {
  baseUrl: string;
}

function isStoredAccount(value: unknown): value is StoredAccount {
  if (typeof value !== 'object' || value === null) return false;
  const { baseUrl, projectId, projectSecret } = value as Record<string, unknown>;
  return [baseUrl, projectId, projectSecret].every((field) => typeof field === 'string');
}

async function readStored(environment: Environment): Promise<Account> {
  const file = fileOf(environment);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw isMissing(error) ? notSignedIn() : error;
  });
  const { mode } = await stat(file);
  // Windows has no such modes.
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new CommandError(EXIT_CODES.notAllowed, `${file} can be read by others: set its mode to 0600`);
  const stored: unknown = parseJson(text);
  if (!isStoredAccount(stored)) throw notSignedIn();
  const { baseUrl, ...access } = stored;
  return { baseUrl, access };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * The account of the environment, or the one that a login has stored.
 *
 * @throws CommandError if there is none, or if other users can read it
 */
export async function readAccount(environment: Environment): Promise<Account> {
  return accountOfEnvironment(environment) ?? readStored(environment);
}

/** Writes a file that only its owner can read, atomically. */
export async function writePrivateFile(file: string, text: string): Promise<void> {
  const unfinished = `${file}.${randomUUID()}`;
  const handle = await open(unfinished, 'wx', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
    await handle.close();
    await rename(unfinished, file);
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** Stores an account in place of the former one, and returns the path. */
export async function storeAccount(environment: Environment, account: StoredAccount): Promise<string> {
  await mkdir(environment.configFolder, { recursive: true, mode: 0o700 });
  const file = fileOf(environment);
  await writePrivateFile(file, `${JSON.stringify(account, null, 2)}\n`);
  return file;
}

/** Deletes the stored account; returns whether there was one. */
export async function forgetAccount(environment: Environment): Promise<boolean> {
  try {
    await rm(fileOf(environment));
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}
