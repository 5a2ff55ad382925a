/** How a command that talks to a remote failed. */
export interface RemoteFault {
  isTimeout: boolean;
  /** What git said. It may quote the remote, so that none of it is shown. */
  said: string;
}

/** What git and libcurl say, and what that means, in words for an administrator. */
const FAULTS: readonly (readonly [RegExp, string])[] = [
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
export const PUSH_REFUSED = 'The remote refused the commits';

/** Why a remote could not be used. */
export function explainRemoteFault({ isTimeout, said }: RemoteFault): string {
  if (isTimeout) return TIMEOUT;
  return FAULTS.find(([words]) => words.test(said))?.[1] ?? OTHER;
}

const LONGEST_WAIT_MS = 15 * 60_000;

/** How long to wait before the next attempt after so many failures in a row. */
export function pushDelayMs(failures: number, firstMs: number): number {
  return Math.min(firstMs * 2 ** Math.min(failures, 20), LONGEST_WAIT_MS);
}
