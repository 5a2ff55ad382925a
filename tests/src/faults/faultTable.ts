import type { ProxyFault } from '@gatehouse/testing';

/** The behaviour of a failing dependency. */
export const FAULTS = ['cut', 'refused', 'hung', 'slow'] as const;
export type Fault = (typeof FAULTS)[number];

const SLOW_MS = 300;

/** What a proxy does to play a fault; null for what happens once. */
export const PROXY_FAULTS: Record<Fault, ProxyFault | null> = {
  cut: null,
  refused: 'refuse',
  hung: 'hang',
  slow: { delayMs: SLOW_MS },
};

/** The responses to requests that need the failing part. */
export type Outcome =
  /** As without a fault. */
  | 'answered'
  /** 503 with `Retry-After`. */
  | 'unavailable'
  /** Either: a change that was on its way is not made twice. */
  | 'reads answered, changes may be unavailable';

/** A line of the table in docs/faults.md. */
export interface FaultRow {
  dependency: 'MongoDB of a service' | 'a service' | 'NATS';
  fault: Fault;
  outcome: Outcome;
  /** Within which a request is answered. */
  bound: string;
}

const CALLS = 'twice `REQUEST_TIMEOUT_MS`';
/** Once the fault is detected, no request waits any more. */
export const NOTICED = '3 seconds, then no wait';

/** The guarantees of the platform: the tests check every line, and the page shows them. */
export const FAULT_TABLE: readonly FaultRow[] = [
  row('MongoDB of a service', 'cut', 'reads answered, changes may be unavailable', CALLS),
  row('MongoDB of a service', 'refused', 'unavailable', CALLS),
  row('MongoDB of a service', 'hung', 'unavailable', CALLS),
  row('MongoDB of a service', 'slow', 'answered', CALLS),
  row('a service', 'cut', 'reads answered, changes may be unavailable', CALLS),
  row('a service', 'refused', 'unavailable', NOTICED),
  row('a service', 'hung', 'unavailable', CALLS),
  row('a service', 'slow', 'answered', CALLS),
  row('NATS', 'cut', 'answered', 'no wait'),
  row('NATS', 'refused', 'answered', 'no wait'),
  row('NATS', 'hung', 'answered', 'no wait'),
  row('NATS', 'slow', 'answered', 'no wait'),
];

function row(dependency: FaultRow['dependency'], fault: Fault, outcome: Outcome, bound: string): FaultRow {
  return { dependency, fault, outcome, bound };
}

/** The table as it stands in the page, one row a line. */
export function writeFaultTable(): string[] {
  return FAULT_TABLE.map(
    ({ dependency, fault, outcome, bound }) => `| ${dependency} | ${fault} | ${outcome} | ${bound} |`,
  );
}
