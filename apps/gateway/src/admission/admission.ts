import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, type RouteLane } from '@gatehouse/contract';
import { FairShares } from '@gatehouse/service';
import { ByteBudget } from './byteBudget.js';
import { createFindAddress, unauthenticatedCaller, type Caller } from './caller.js';
import { Connections } from './connections.js';
import { LargeBodies } from './largeBodies.js';
import { Pace } from './pace.js';
import { UnreadResponses } from './unreadResponses.js';

export interface LaneLimits {
  /** The total number of requests that run or wait; 0 sets no limit. */
  inFlight: number;
  /** The number of short requests of one organization that run at once. */
  perOrganization: number;
  /** The longest time that a request waits for a place, in milliseconds. */
  waitMs: number;
}

/** A lane. The callers without a token have one share of it, which is divided by address. */
interface Lane {
  shares: FairShares;
  unauthenticated: FairShares;
}

/** The number of organizations that can use their whole share at once. */
const ORGANIZATIONS = 16;
/** One share may have this fraction of all requests waiting. */
const WAITING_PARTS = 8;
/**
 * While others are active, an organization runs only this fraction of its requests at once. All requests
 * share one thread, and at each of its steps a request waits for the steps of the others.
 */
const CONTENDED_PARTS = { short: 8, long: 2 } as const satisfies Record<RouteLane, number>;
/** Long requests occupy processes and databases for seconds, so an organization runs fewer of them. */
const LONG_PARTS = 4;
/** Parked requests cost little, so an organization may have more of them. */
const PARKED_TIMES = 4;

const part = (whole: number, parts: number) => Math.max(1, Math.floor(whole / parts));

interface LaneSize {
  perShare: number;
  perShareContended: number;
  waitingPerShare: number;
  waitMs: number;
}

function createLane({ perShare, perShareContended, waitingPerShare, waitMs }: LaneSize): Lane {
  const shares = new FairShares({
    capacity: perShare * ORGANIZATIONS,
    perShare,
    perShareContended,
    waitingPerShare,
    waiting: Infinity,
    waitMs,
  });
  // Their capacity equals their share, so the share never makes a caller wait for another address.
  const unauthenticated = new FairShares({
    capacity: perShare,
    perShare: Math.max(1, perShare / 2),
    waitingPerShare,
    waiting: waitingPerShare * 2,
    waitMs,
  });
  return { shares, unauthenticated };
}

/**
 * Divides the places for requests fairly between organizations, and between the addresses of callers
 * without a token. Long requests have their own lane, so that they never occupy the places of short ones.
 */
export class Lanes {
  readonly #max: number;
  readonly #lanes: Record<RouteLane, Lane>;
  /** For requests that wait for another one to finish. */
  readonly #parked: Lane;
  #inFlight = 0;

  constructor({ inFlight, perOrganization, waitMs }: LaneLimits) {
    this.#max = inFlight === 0 ? Infinity : inFlight;
    const waiting = Math.max(1, Math.floor(this.#max / WAITING_PARTS));
    const long = part(perOrganization, LONG_PARTS);
    this.#lanes = {
      short: createLane({
        perShare: perOrganization,
        perShareContended: part(perOrganization, CONTENDED_PARTS.short),
        waitingPerShare: waiting,
        waitMs,
      }),
      long: createLane({
        perShare: long,
        // With a single place, one unresponsive database would block all long requests.
        perShareContended: part(long, CONTENDED_PARTS.long),
        waitingPerShare: part(waiting, LONG_PARTS),
        waitMs,
      }),
    };
    const parked = perOrganization * PARKED_TIMES;
    this.#parked = createLane({ perShare: parked, perShareContended: parked, waitingPerShare: 0, waitMs });
  }

  /** The number of requests that run or wait. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** True while every further request is rejected. */
  get isFull(): boolean {
    return this.#inFlight >= this.#max;
  }

  /**
   * Waits for a place. Resolves to the function that releases it.
   *
   * @throws RATE_LIMITED when the share of the caller is used up and its queue is full
   * @throws UNAVAILABLE when the total number of requests has reached its limit
   */
  enter(lane: RouteLane, caller: Caller): Promise<() => void> {
    return this.#enter(this.#lanes[lane], caller);
  }

  /** Takes a place for a request that waits for another one. Never waits itself; throws as `enter`. */
  park(caller: Caller): Promise<() => void> {
    return this.#enter(this.#parked, caller);
  }

  async #enter(lane: Lane, caller: Caller): Promise<() => void> {
    if (this.isFull) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
    this.#inFlight += 1;
    try {
      const leave = await this.#place(lane, caller);
      return () => {
        this.#inFlight -= 1;
        leave();
      };
    } catch (error) {
      this.#inFlight -= 1;
      throw error;
    }
  }

  async #place({ shares, unauthenticated }: Lane, { share, address, party }: Caller): Promise<() => void> {
    if (address === null) return shares.acquire(share, party);
    const leaveUnauthenticated = await unauthenticated.acquire(address).catch((error: unknown) => {
      throw asRateLimit(error);
    });
    try {
      const leave = await shares.acquire(share);
      return () => {
        leave();
        leaveUnauthenticated();
      };
    } catch (error) {
      leaveUnauthenticated();
      throw error;
    }
  }
}

/** Converts UNAVAILABLE: the share of callers without a token is full, but the gateway is not. */
function asRateLimit(error: unknown): unknown {
  const isFull = error instanceof AppError && error.code === 'UNAVAILABLE';
  return isFull ? new AppError('RATE_LIMITED', { retryAfterSeconds: 1 }) : error;
}

const MIB = 1024 * 1024;
/** The limits of held bytes. They apply to request bodies and to responses separately. */
const HELD_BYTES = { total: 256 * MIB, perShare: 32 * MIB, perAddress: 8 * MIB };

export interface AdmissionOptions {
  inFlightMax: number;
  perOrganization: number;
  waitMs: number;
  connectionsMax: number;
  trustedProxies: string;
}

/** The part of a request that admission uses. */
export interface AdmittedRequest {
  request: IncomingMessage;
  response: ServerResponse;
  caller: Caller;
  releases: (() => void)[];
  /** The place that the request holds. */
  place?: { lane: RouteLane; leave(): void } | undefined;
}

/** Divides places for requests, memory and connections between the callers. */
export class Admission {
  readonly lanes: Lanes;
  readonly connections: Connections;
  /** Bounds the bytes of request bodies that are being read or wait for a place. */
  readonly bodies = new ByteBudget(HELD_BYTES);
  readonly pace = new Pace();
  readonly unread = new UnreadResponses(new ByteBudget(HELD_BYTES));
  readonly #largeBodies: LargeBodies;
  readonly #findAddress: ReturnType<typeof createFindAddress>;

  constructor({ inFlightMax, perOrganization, waitMs, connectionsMax, trustedProxies }: AdmissionOptions) {
    this.lanes = new Lanes({ inFlight: inFlightMax, perOrganization, waitMs });
    this.#largeBodies = new LargeBodies(waitMs);
    this.connections = new Connections(connectionsMax);
    this.#findAddress = createFindAddress(trustedProxies);
  }

  /** Returns the caller of a request whose token is not verified yet. */
  strangerOf(request: IncomingMessage): Caller {
    return unauthenticatedCaller(this.#findAddress(request));
  }

  /**
   * Waits until a body may be parsed; a small one never waits.
   *
   * @throws RATE_LIMITED
   */
  async waitToParse({ caller, releases }: AdmittedRequest, bodyBytes: number): Promise<void> {
    releases.push(await this.#largeBodies.enterOf(caller, bodyBytes));
  }

  /**
   * Waits for a place, which the request holds until its response is sent.
   *
   * @throws RATE_LIMITED or UNAVAILABLE
   */
  async enter(admitted: AdmittedRequest, lane: RouteLane, bodyBytes: number): Promise<void> {
    const { request, caller, releases } = admitted;
    releases.push(this.connections.serve(request.socket));
    await this.waitToParse(admitted, bodyBytes);
    admitted.place = { lane, leave: await this.lanes.enter(lane, caller) };
    releases.push(() => admitted.place?.leave());
  }

  /**
   * Releases the place of a request that waits for another one to finish. Resolves to a function that
   * acquires a place again.
   *
   * @throws RATE_LIMITED when too many requests of the share wait like this
   */
  async park(admitted: AdmittedRequest): Promise<() => Promise<void>> {
    const { place, caller } = admitted;
    if (!place) return async () => {};
    const move = async (enter: () => Promise<() => void>) => {
      admitted.place?.leave();
      admitted.place = undefined;
      admitted.place = { lane: place.lane, leave: await enter() };
    };
    await move(() => this.lanes.park(caller));
    return () => move(() => this.lanes.enter(place.lane, caller));
  }
}
