import { useEffect } from 'react';

/** Loads code that a screen needs as soon as its records are there, at the same time as these. */
export function usePreload(load: () => Promise<unknown>): void {
  useEffect(() => {
    // A failure is reported where the code is used.
    load().catch(() => {});
  }, [load]);
}
