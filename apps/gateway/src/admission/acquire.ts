import type { FairShares } from '@gatehouse/service';

/** Acquires capacity of a share. Resolves to the function that releases it; rejects as `FairShares.run`. */
export function acquire(shares: FairShares, share: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    shares.run(share, () => new Promise<void>((release) => resolve(release))).catch(reject);
  });
}
