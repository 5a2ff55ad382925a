import { describe, expect, it } from 'vitest';
import { explainRemoteFault, pushDelayMs } from './remoteFaults.js';

describe('the explanation of a remote fault', () => {
  it('quotes nothing from the remote', () => {
    const stderr =
      "fatal: unable to access 'https://git.internal/': s3cret Failed to connect to git.internal";
    const explained = explainRemoteFault({ isTimeout: false, stderr });
    expect(explained).toBe('The remote could not be reached, or it broke the connection');
    expect(explainRemoteFault({ isTimeout: true, stderr })).toBe('The remote did not answer in time');
    expect(explainRemoteFault({ isTimeout: false, stderr: 'remote: s3cret' })).toBe(
      'The remote did not answer as a git repository does',
    );
  });
});

describe('the delay before the next push', () => {
  it('doubles with each failure, up to a quarter of an hour', () => {
    expect([0, 1, 2, 30, 1e9].map((failures) => pushDelayMs(failures, 10_000))).toEqual([
      10_000, 20_000, 40_000, 900_000, 900_000,
    ]);
  });
});
