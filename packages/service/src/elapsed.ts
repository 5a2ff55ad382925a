/**
 * Measures the time from now on. Returns the function that returns it, in milliseconds, by the later of two
 * clocks: that of the system may be set back, and the monotonic one stands still while the machine is
 * suspended.
 */
export function startClocks(): () => number {
  const [systemMs, monotonicMs] = [Date.now(), performance.now()];
  return () => Math.max(Date.now() - systemMs, performance.now() - monotonicMs);
}
