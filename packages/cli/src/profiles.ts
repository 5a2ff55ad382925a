import { mkdir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ProjectCredentials } from './credentials.js';
import type { Environment } from './environment.js';
import { EXIT_CODES } from './exitCodes.js';
import { CommandError, usageError } from './failures.js';
import { deleteFile, isMissing, readPrivateFile, writePrivateFile } from './privateFiles.js';

/** A stored login: an address, and the credentials that are sent there and nowhere else. */
export interface Profile extends ProjectCredentials {
  baseUrl: string;
}

/** The name of the profile for a command, and what chose it. */
export interface ProfileChoice {
  name: string;
  source: 'flag' | 'environment' | 'current';
}

/** Earlier releases had one login, without a name. */
export const DEFAULT_PROFILE = 'default';

// Lower case only, because a name is a part of a file name, and some file systems ignore case.
const NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** @throws CommandError for an invalid name */
function checkName(name: string, setting: string): string {
  if (NAME.test(name)) return name;
  throw usageError(
    `${setting} must have 1 to 63 lower-case letters, digits, dots, hyphens and underscores, ` +
      `and must start with a letter or digit: ${name}`,
  );
}

const currentFile = ({ configFolder }: Environment) => join(configFolder, 'current-profile');
const profileFolder = ({ configFolder }: Environment) => join(configFolder, 'profiles');

/** One file for each profile, so that two logins at the same time do not overwrite each other. */
function fileOf(environment: Environment, name: string): string {
  checkName(name, 'The name of a profile');
  // The path of earlier releases: their login is the default profile, and they can still read it.
  return name === DEFAULT_PROFILE
    ? join(environment.configFolder, 'credentials.json')
    : join(profileFolder(environment), `${name}.json`);
}

async function readCurrentName(environment: Environment): Promise<string> {
  const text = await readPrivateFile(currentFile(environment));
  return text === null ? DEFAULT_PROFILE : checkName(text.trim(), currentFile(environment));
}

/** The profile that `--profile`, then GATEHOUSE_PROFILE, then the last login or `profile use` chose. */
export async function chooseProfile(
  environment: Environment,
  flag: string | undefined,
): Promise<ProfileChoice> {
  if (flag !== undefined) return { name: checkName(flag, '--profile'), source: 'flag' };
  const { profile } = environment;
  if (profile !== undefined) return { name: checkName(profile, 'GATEHOUSE_PROFILE'), source: 'environment' };
  return { name: await readCurrentName(environment), source: 'current' };
}

function isProfile(value: unknown): value is Profile {
  if (typeof value !== 'object' || value === null) return false;
  const { baseUrl, projectId, projectSecret } = value as Record<string, unknown>;
  return [baseUrl, projectId, projectSecret].every((field) => typeof field === 'string');
}

function parseProfile(text: string): Profile | null {
  try {
    const value: unknown = JSON.parse(text);
    return isProfile(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * A stored profile; null if there is none.
 *
 * @throws CommandError if other users can read it, or if it is damaged
 */
export async function readProfile(environment: Environment, name: string): Promise<Profile | null> {
  const file = fileOf(environment, name);
  const text = await readPrivateFile(file);
  if (text === null) return null;
  const profile = parseProfile(text);
  if (profile) return profile;
  throw new CommandError(EXIT_CODES.notAllowed, `${file} contains no credentials: sign in again`);
}

/** Stores a profile in place of the former one of this name, and returns the path. */
export async function storeProfile(
  environment: Environment,
  name: string,
  profile: Profile,
): Promise<string> {
  const file = fileOf(environment, name);
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writePrivateFile(file, `${JSON.stringify(profile, null, 2)}\n`);
  return file;
}

/** Makes a profile the one that commands use unless they name another. */
export async function setCurrentProfile(environment: Environment, name: string): Promise<void> {
  await mkdir(environment.configFolder, { recursive: true, mode: 0o700 });
  await writePrivateFile(currentFile(environment), `${name}\n`);
}

/**
 * Deletes a profile; returns whether there was one. If it was the current one, it stays the choice, so that
 * the next command fails instead of reaching the server of another profile.
 */
export async function deleteProfile(environment: Environment, name: string): Promise<boolean> {
  return deleteFile(fileOf(environment, name));
}

async function namesInFolder(environment: Environment): Promise<string[]> {
  try {
    const files = await readdir(profileFolder(environment));
    return files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -'.json'.length));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** All stored profiles, by name. */
export async function listProfiles(environment: Environment): Promise<(Profile & { name: string })[]> {
  const named = (await namesInFolder(environment)).filter((name) => NAME.test(name));
  const names = [DEFAULT_PROFILE, ...named.filter((name) => name !== DEFAULT_PROFILE)].toSorted();
  const profiles = await Promise.all(
    names.map(async (name) => ({ name, profile: await readProfile(environment, name) })),
  );
  return profiles.flatMap(({ name, profile }) => (profile ? [{ ...profile, name }] : []));
}
