import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The environment variables. A secret comes from here, from a prompt or from the standard input, and never
 * from an argument.
 */
export interface Environment {
  /** The command that starts this program; `gatehouse` by default. */
  program?: string;
  /** The folder of this program's own files. */
  configFolder: string;
  url: string | undefined;
  /** An access token, instead of credentials that tokens are issued for. */
  token: string | undefined;
  projectId: string | undefined;
  projectSecret: string | undefined;
  orgUserId: string | undefined;
  endUserId: string | undefined;
  /** The name of the stored login to use. */
  profile: string | undefined;
  /** Any other variable, which a configuration file names for a secret. */
  variable?: (name: string) => string | undefined;
}

/** Reads the environment; an empty variable counts as absent. */
export function readEnvironment(): Environment {
  const read = (name: string) => process.env[name] || undefined;
  return {
    // A clone has no program of this name: its package.json has a script instead.
    program: read('npm_lifecycle_event') === 'gatehouse' ? 'npm run gatehouse --' : 'gatehouse',
    configFolder: join(read('XDG_CONFIG_HOME') ?? join(homedir(), '.config'), 'gatehouse'),
    url: read('GATEHOUSE_URL'),
    token: read('GATEHOUSE_TOKEN'),
    projectId: read('GATEHOUSE_PROJECT_ID'),
    projectSecret: read('GATEHOUSE_PROJECT_SECRET'),
    orgUserId: read('GATEHOUSE_ORG_USER_ID'),
    endUserId: read('GATEHOUSE_END_USER_ID'),
    profile: read('GATEHOUSE_PROFILE'),
    variable: read,
  };
}
