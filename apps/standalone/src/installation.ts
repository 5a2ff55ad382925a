import {
  newKey,
  type CallOrigin,
  type InternalTokenSigner,
  type Logger,
  type ServiceClients,
  toAppError,
} from '@gatehouse/service';
import { createCredentials, CREDENTIALS_FILE, findCredentials, type Credentials } from './credentials.js';
import type { DataDirectory } from './dataDirectory.js';
import { demoNames } from './demo/organization.js';

const OPERATOR = { kind: 'system', name: 'operator' } as const;

const PLAIN_NAMES = {
  organizationName: 'My organization',
  projectName: 'My project',
  adminEmail: 'admin@example.com',
  adminName: 'Administrator',
};

/** One organization with its first project and ADMIN, and the files with the credentials. */
export interface Installation {
  credentials: Credentials;
  /** Whether the credentials open the project; false after their secret or their ADMIN has changed. */
  isAccepted: boolean;
}

/** Calls of the operator of the platform, who holds the signing key. */
export interface OperatorParts {
  services: ServiceClients;
  signer: InternalTokenSigner;
}

export interface InstallationParts extends OperatorParts {
  directory: DataDirectory;
  /** Whether the organization has the names of the demo. */
  isDemo: boolean;
  log: Logger;
  /** The address at which the gateway will listen, as far as it is known. */
  baseUrl: string;
}

/**
 * Creates the first organization, project and ADMIN, or finds those of an earlier start. Every step is
 * idempotent, so that the next start completes one that died at any point.
 *
 * @throws Error if the database belongs to another data directory
 */
export async function establishInstallation(parts: InstallationParts): Promise<Installation> {
  const { directory, services, log } = parts;
  const known = await findCredentials(directory);
  const credentials = known ?? (await createCredentials(directory, parts.baseUrl));

  const origin = await operatorOrigin(parts.signer);
  const { organizationId, projectId, projectSecret, adminOrgUserId } = credentials;
  const names = parts.isDemo ? demoNames : PLAIN_NAMES;
  await services.directory.organizations.bootstrap.mutate(
    {
      organizationId,
      projectId,
      projectSecret,
      adminOrgUserId,
      ...names,
    },
    { context: origin },
  );
  if (await areAccepted(services, origin, credentials)) return { credentials, isAccepted: true };
  if (!known) {
    await directory.remove(CREDENTIALS_FILE);
    throw new Error(
      'The database holds an organization that was set up with another data directory. Start with that DATA_DIR, ' +
        'or give MONGODB_PREFIX another value to start afresh.',
    );
  }
  log.warn('the credentials file does not open the project any more: its secret or its ADMIN has changed');
  return { credentials, isAccepted: false };
}

async function operatorOrigin(signer: InternalTokenSigner): Promise<CallOrigin> {
  return { token: await signer.sign(OPERATOR), requestId: `start-${newKey()}` };
}

async function areAccepted(
  services: ServiceClients,
  context: CallOrigin,
  { projectId, projectSecret, adminOrgUserId: orgUserId }: Credentials,
): Promise<boolean> {
  const issued = services.directory.tokens.issue.mutate({ projectId, projectSecret, orgUserId }, { context });
  return (await issued.catch(nullIfRejected)) !== null;
}

function nullIfRejected(error: unknown): null {
  if (toAppError(error).status < 500) return null;
  throw error;
}

/** The seconds for which the console stays signed in: a working day. */
const SESSION_SECONDS = 28_800;

/** A code that signs the first ADMIN in to the console; null if the credentials are no longer valid. */
export async function createSignInCode(
  { projectId, projectSecret, adminOrgUserId: orgUserId }: Credentials,
  { services, signer }: OperatorParts,
): Promise<string | null> {
  const request = { projectId, projectSecret, orgUserId, tokenExpiry: SESSION_SECONDS };
  const context = await operatorOrigin(signer);
  const created = services.directory.tokens.createSignInCode.mutate(request, { context });
  return (await created.catch(nullIfRejected))?.signInCode ?? null;
}
