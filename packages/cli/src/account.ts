import { createClient } from '@gatehouse/client';
import type { Account, ProjectCredentials, Source } from './credentials.js';
import type { Environment } from './environment.js';
import { EXIT_CODES } from './exitCodes.js';
import { CommandError, usageError } from './failures.js';
import { chooseProfile, DEFAULT_PROFILE, readProfile, type Profile, type ProfileChoice } from './profiles.js';
import { readClaims } from './project.js';

export const DEFAULT_URL = 'http://127.0.0.1:8080';

/**
 * An address in the form in which two can be compared.
 *
 * @param setting what contains it, for the error
 * @throws CommandError unless it is an HTTP URL
 */
export function readAddress(url: string, setting: string): string {
  try {
    createClient({ baseUrl: url });
  } catch {
    throw usageError(`${setting} must be an address such as https://gatehouse.example.com, not ${url}`);
  }
  return new URL(url).href.replace(/\/+$/, '');
}

type User = Pick<ProjectCredentials, 'orgUserId' | 'endUserId'>;

/** Exactly one user, or none. */
export function actingUser(orgUserId: string | undefined, endUserId: string | undefined): User {
  if (orgUserId !== undefined && endUserId !== undefined)
    throw usageError('An org user and an end user do not go together');
  return { ...(orgUserId !== undefined && { orgUserId }), ...(endUserId !== undefined && { endUserId }) };
}

/** A stored profile with its name. */
interface Stored {
  choice: ProfileChoice;
  profile: Profile;
}

function notSignedIn({ name, source }: ProfileChoice, { program = 'gatehouse' }: Environment): CommandError {
  const login = `${program} login${name === DEFAULT_PROFILE ? '' : ` --profile ${name}`}`;
  if (source === 'current' && name === DEFAULT_PROFILE)
    return new CommandError(
      EXIT_CODES.notAllowed,
      `Not signed in: run "${login}", or set GATEHOUSE_TOKEN, or GATEHOUSE_PROJECT_ID and ` +
        'GATEHOUSE_PROJECT_SECRET',
    );
  return new CommandError(
    EXIT_CODES.notAllowed,
    `Profile ${name} is not signed in: run "${login}", or choose another profile`,
  );
}

/** @throws CommandError for variables beside a token that contradict it: they would have no effect */
function checkToken({ token, projectId, orgUserId, endUserId }: Environment): void {
  const claims = readClaims(token ?? '');
  const wrong = Object.entries({
    GATEHOUSE_PROJECT_ID: [projectId, claims['projectId']],
    GATEHOUSE_ORG_USER_ID: [orgUserId, claims['orgUserId']],
    GATEHOUSE_END_USER_ID: [endUserId, claims['tenantUserId']],
  }).find(([, [given, claimed]]) => given !== undefined && given !== claimed);
  if (wrong)
    throw usageError(
      `${wrong[0]} does not match GATEHOUSE_TOKEN, whose project and user are fixed: unset one of them`,
    );
}

/** A complete set of credentials in the environment variables; null if there is none. */
function credentialsOf(environment: Environment): Account['access'] | null {
  const { token, projectId, projectSecret, orgUserId, endUserId } = environment;
  const user = actingUser(orgUserId, endUserId);
  if (token !== undefined) {
    checkToken(environment);
    return { accessToken: token };
  }
  if (projectId === undefined || projectSecret === undefined) return null;
  return { projectId, projectSecret, ...user };
}

/** Whether the variables, as far as they are set, repeat the project and the secret of the profile. */
function repeatsProfile({ token, projectId, projectSecret }: Environment, { profile }: Stored): boolean {
  return (
    token === undefined &&
    (projectId ?? profile.projectId) === profile.projectId &&
    (projectSecret ?? profile.projectSecret) === profile.projectSecret
  );
}

/** @throws CommandError for a project without its secret, or a secret without its project */
function checkPair({ token, projectId, projectSecret }: Environment, stored: Stored | null): void {
  if (token !== undefined || (projectId === undefined) === (projectSecret === undefined)) return;
  const [given, missing] =
    projectId === undefined
      ? ['GATEHOUSE_PROJECT_SECRET', 'GATEHOUSE_PROJECT_ID']
      : ['GATEHOUSE_PROJECT_ID', 'GATEHOUSE_PROJECT_SECRET'];
  const differing = stored
    ? `: ${given} differs from profile ${stored.choice.name}, so both are required`
    : `: ${given} is set, and both are required`;
  throw usageError(`${missing} is missing${differing}`);
}

/** The name of the variable that has the secret, for errors. */
const secretVariable = ({ token }: Environment) =>
  token === undefined ? 'GATEHOUSE_PROJECT_SECRET' : 'GATEHOUSE_TOKEN';

/**
 * The address for credentials of the environment.
 *
 * @throws CommandError if they may be for the default address, or for that of the profile
 */
function addressOf(environment: Environment, stored: Stored | null): [address: string, source: Source] {
  const { url } = environment;
  if (url !== undefined) return [readAddress(url, 'GATEHOUSE_URL'), 'environment'];
  if (!stored) return [DEFAULT_URL, 'default'];
  const { choice, profile } = stored;
  if (repeatsProfile(environment, stored) || profileAddress(stored) === DEFAULT_URL)
    return [profileAddress(stored), 'profile'];
  throw usageError(
    `GATEHOUSE_URL is missing: ${secretVariable(environment)} is not sent to ${profile.baseUrl} ` +
      `of profile ${choice.name}`,
  );
}

const profileAddress = ({ choice, profile }: Stored) =>
  readAddress(profile.baseUrl, `The address of profile ${choice.name}`);

/** With credentials of the environment, for which the user of a profile has no meaning. */
function accountOfEnvironment(
  environment: Environment,
  access: Account['access'],
  stored: Stored | null,
): Account {
  const { token, orgUserId, endUserId } = environment;
  const [baseUrl, source] = addressOf(environment, stored);
  const hasUser = token !== undefined || (orgUserId ?? endUserId) !== undefined;
  return {
    baseUrl,
    access,
    profile: source === 'profile' && stored ? stored.choice : null,
    sources: { baseUrl: source, credentials: 'environment', user: hasUser ? 'environment' : 'none' },
  };
}

/** With the credentials of a profile, which are sent to its own address only. */
function accountOfProfile(environment: Environment, stored: Stored): Account {
  const { url, orgUserId, endUserId } = environment;
  const { choice, profile } = stored;
  const baseUrl = profileAddress(stored);
  if (url !== undefined && readAddress(url, 'GATEHOUSE_URL') !== baseUrl)
    throw usageError(
      `GATEHOUSE_URL is ${url}, but the secret of profile ${choice.name} is for ${baseUrl}: ` +
        'set GATEHOUSE_TOKEN, or GATEHOUSE_PROJECT_ID and GATEHOUSE_PROJECT_SECRET, or choose a profile',
    );
  const { projectId, projectSecret } = profile;
  const given = actingUser(orgUserId, endUserId);
  const isGiven = Object.keys(given).length > 0;
  const user = isGiven ? given : actingUser(profile.orgUserId, profile.endUserId);
  const profileUser: Source = Object.keys(user).length > 0 ? 'profile' : 'none';
  return {
    baseUrl,
    access: { projectId, projectSecret, ...user },
    profile: choice,
    sources: {
      baseUrl: url === undefined ? 'profile' : 'environment',
      credentials: 'profile',
      user: isGiven ? 'environment' : profileUser,
    },
  };
}

/** @throws CommandError for a profile beside credentials of the environment: one of them would be ignored */
function checkNoProfile(environment: Environment, flag: string | undefined): void {
  if (flag === undefined && environment.profile === undefined) return;
  const chosenBy = flag === undefined ? 'GATEHOUSE_PROFILE' : '--profile';
  throw usageError(`${chosenBy} and ${secretVariable(environment)} exclude each other: unset one of them`);
}

/**
 * The account for a command. Each environment variable overrides the profile, with one limit: a secret is
 * sent only to an address from the same source. Otherwise a change that is meant for one server could reach
 * another, or a secret could.
 *
 * @param flag the value of `--profile`
 * @throws CommandError if the settings are incomplete or contradict each other, or without a login
 */
export async function readAccount(environment: Environment, flag: string | undefined): Promise<Account> {
  const access = credentialsOf(environment);
  if (access) checkNoProfile(environment, flag);
  if (access && environment.url !== undefined) return accountOfEnvironment(environment, access, null);
  const choice = await chooseProfile(environment, flag);
  const profile = await readProfile(environment, choice.name);
  const stored = profile && { choice, profile };
  if (!stored && choice.source !== 'current') throw notSignedIn(choice, environment);
  if (access) return accountOfEnvironment(environment, access, stored);
  if (stored && repeatsProfile(environment, stored)) return accountOfProfile(environment, stored);
  checkPair(environment, stored);
  throw notSignedIn(choice, environment);
}
