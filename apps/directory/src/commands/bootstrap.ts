import { parseArgs } from 'node:util';
import { directory as contract } from '@gatehouse/contract';
import { type CallContext, toAppError } from '@gatehouse/service';
import { openDirectory, type Directory, type DirectoryRuntime, type Input } from '../directory.js';
import { bootstrapOrganization } from '../organizations/bootstrapOrganization.js';
import { issueToken } from '../tokens/issueToken.js';
import { provideCredentials, STANDARD_OUTPUT, type Credentials } from './credentialsFile.js';
import { operatorContext } from './operatorContext.js';

type Names = Pick<
  Input<'organizations', 'bootstrap'>,
  'organizationName' | 'projectName' | 'adminEmail' | 'adminName'
>;

interface Options {
  /** The path of a file, or `-` for standard output. */
  credentials: string;
  baseUrl: string;
  names: Names;
}

const OTHER_ORGANIZATION =
  'The database has its first organization already, and these credentials are not of it. Nothing was made.';
const OUTDATED =
  'The first organization is there, but these credentials do not open it any more: its secret or its ADMIN has changed.';

/**
 * `--bootstrap --credentials <file | ->`: creates the first organization, project and ADMIN of a database.
 *
 * The command writes the credentials before it creates records with them: to a new file of mode 0600, or once
 * to standard output. If the file exists, the command uses the credentials in it. A second run thus completes
 * a run that crashed, and further runs change nothing.
 *
 * @throws Error when the database has a first organization that rejects the credentials. The command then
 * creates nothing.
 */
export async function bootstrap(runtime: DirectoryRuntime): Promise<void> {
  const { credentials: target, baseUrl, names } = readOptions();
  const directory = await openDirectory(runtime);
  const hasBegun = async () =>
    (await directory.stores.organizations.hasAny()) ||
    (await directory.stores.organizations.findFirst()) !== null;
  const provided = await provideCredentials(target, baseUrl, async () => {
    if (await hasBegun()) throw new Error(OTHER_ORGANIZATION);
  });
  const { credentials } = provided;
  const { baseUrl: _, ...ids } = credentials;
  const input = contract.procedures.organizations.bootstrap.input.parse({ ...ids, ...names });
  const context = operatorContext(runtime);
  const { isNew } = await bootstrapOrganization(directory, input, context);
  if (!(await areValid(directory, credentials, context))) {
    await provided.withdraw();
    throw new Error(provided.isFresh ? OTHER_ORGANIZATION : OUTDATED);
  }
  runtime.log.info({ organizationId: ids.organizationId, isNew }, 'the first organization exists');
}

function readOptions(): Options {
  const text = (fallback: string) => ({ type: 'string', default: fallback }) as const;
  const { values } = parseArgs({
    options: {
      bootstrap: { type: 'boolean' },
      credentials: { type: 'string' },
      'base-url': text('http://127.0.0.1:8080'),
      organization: text('My organization'),
      project: text('My project'),
      'admin-email': text('admin@example.com'),
      'admin-name': text('Administrator'),
    },
  });
  if (values.credentials === undefined) {
    throw new Error(
      `--credentials must name the file for the credentials, or be ${STANDARD_OUTPUT} to print them once`,
    );
  }
  return {
    credentials: values.credentials,
    baseUrl: values['base-url'],
    names: {
      organizationName: values.organization,
      projectName: values.project,
      adminEmail: values['admin-email'],
      adminName: values['admin-name'],
    },
  };
}

async function areValid(
  directory: Directory,
  { projectId, projectSecret, adminOrgUserId: orgUserId }: Credentials,
  context: CallContext,
): Promise<boolean> {
  const request = contract.procedures.tokens.issue.input.parse({ projectId, projectSecret, orgUserId });
  try {
    await issueToken(directory, request, context);
    return true;
  } catch (error) {
    if (toAppError(error).status < 500) return false;
    throw error;
  }
}
