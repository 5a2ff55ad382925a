/** The failure of a command that called a remote. */
export interface RemoteFault {
  isTimeout: boolean;
  /** The errors of git. They may quote the remote, so they are never shown. */
  stderr: string;
}

/** Patterns of errors of git and libcurl, with explanations for an administrator. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
  [
    /^fatal: fsck error in /m,
    'The branch of the remote has an object that git rejects, such as a path with a part named .git',
  ],
  [/redirect|error: 30[1-8]\b/i, 'The remote redirects to another address, which is not followed'],
  [/certificate|SSL|TLS/i, "The remote's certificate could not be verified"],
  [
    /Authentication failed|could not read (Username|Password)|error: 40[13]\b|HTTP 40[13]\b/i,
    'The remote refused the credentials',
  ],
  [/not found|error: 404\b/i, 'The remote has no such repository'],
  [
    /Could not resolve|Failed to connect|Connection (refused|reset)|unable to access|hung up|early EOF|RPC failed/i,
    'The remote could not be reached, or it broke the connection',
  ],
];

const TIMEOUT = 'The remote did not answer in time';
const OTHER = 'The remote did not answer as a git repository does';
export const PUSH_REJECTED = 'The remote refused the commits';

/** Explains why a remote could not be used. */
export function explainRemoteFault({ isTimeout, stderr }: RemoteFault): string {
  if (isTimeout) return TIMEOUT;
  return FAULTS.find(([pattern]) => pattern.test(stderr))?.[1] ?? OTHER;
}

const DELAY_MAX_MS = 15 * 60_000;

/** The delay before the next attempt: exponential backoff of up to 15 minutes. */
export function pushDelayMs(failures: number, firstMs: number): number {
  return Math.min(firstMs * 2 ** Math.min(failures, 20), DELAY_MAX_MS);
}
