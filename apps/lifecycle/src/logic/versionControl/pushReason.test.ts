import { describe, expect, it } from 'vitest';
import { explainRemoteFault, pushDelayMs } from './pushReason.js';

describe('why a remote could not be used', () => {
  it('is told in words of our own, and never in those of the remote', () => {
    const said = "fatal: unable to access 'https://git.internal/': s3cret Failed to connect to git.internal";
    const explained = explainRemoteFault({ isTimeout: false, said });
    expect(explained).toBe('The remote could not be reached, or it broke the connection');
    expect(explainRemoteFault({ isTimeout: true, said })).toBe('The remote did not answer in time');
    expect(explainRemoteFault({ isTimeout: false, said: 'remote: s3cret' })).toBe(
      'The remote did not answer as a git repository does',
    );
  });
});

describe('the wait before the next push', () => {
  it('doubles with each failure, up to a quarter of an hour', () => {
    expect([0, 1, 2, 30, 1e9].map((failures) => pushDelayMs(failures, 10_000))).toEqual([
      10_000, 20_000, 40_000, 900_000, 900_000,
    ]);
  });
});
