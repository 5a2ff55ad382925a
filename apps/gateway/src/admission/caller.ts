import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import { networkOf } from '../limits.js';

/** The party whose share of the gateway a request uses. */
export interface Caller {
  /** The id of the organization, or the common share of all callers without a verified token. */
  share: string;
  /** The network of a caller without a token, which divides their common share. Null for an organization. */
  address: string | null;
  /**
   * The tenant of a tenant user, or the dashboard of a token without an identity. These parties of an
   * organization take turns.
   */
  party?: string | undefined;
}

/** No organization has an id of this form. */
const UNAUTHENTICATED = 'unauthenticated';

/** Returns a caller without a verified token. */
export function unauthenticatedCaller(address: string): Caller {
  return { share: UNAUTHENTICATED, address };
}

/** Whose token it is. A token without an identity has neither a tenant nor an org user. */
interface TokenHolder {
  tenantId?: string | undefined;
  orgUserId?: string | undefined;
  dashboardId?: string | undefined;
}

function partyOf({ tenantId, orgUserId, dashboardId }: TokenHolder): string | undefined {
  if (tenantId !== undefined || orgUserId !== undefined) return tenantId;
  // No id contains a colon.
  return dashboardId === undefined ? undefined : `dashboard:${dashboardId}`;
}

/** Returns a caller of an organization: by default one whose requests may use all of its places. */
export function memberOf(organizationId: string, holder: TokenHolder = {}): Caller {
  return { share: organizationId, address: null, party: partyOf(holder) };
}

const MAPPED = '::ffff:';

/** Converts an IPv4-mapped IPv6 address to IPv4. */
function plainAddress(address: string): string {
  return address.startsWith(MAPPED) && isIP(address.slice(MAPPED.length)) === 4
    ? address.slice(MAPPED.length)
    : address;
}

/** Parses a list such as `10.0.0.0/8, 127.0.0.1`. Throws Error if it is malformed. */
function readNetworks(list: string): BlockList {
  const networks = new BlockList();
  for (const entry of list.split(',').map((part) => part.trim())) {
    if (entry === '') continue;
    const [address = '', bits] = entry.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const longest = family === 'ipv6' ? 128 : 32;
    if (isIP(address) === 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits)) || Number(bits ?? 0) > longest)
      throw new Error(`TRUSTED_PROXIES must list addresses and networks such as 10.0.0.0/8, not ${entry}`);
    networks.addSubnet(address, Number(bits ?? longest), family);
  }
  return networks;
}

/** Returns the network that a request comes from. */
export type FindAddress = (request: IncomingMessage) => string;

/** Returns the network of the peer of a connection. */
export function peerOf({ remoteAddress }: Socket): string {
  return networkOf(plainAddress(remoteAddress ?? ''));
}

/**
 * Creates a function that finds the network of a request. `X-Forwarded-For` counts only as far as trusted
 * proxies wrote it: from the right, up to the first address that does not belong to a trusted proxy. The
 * caller can forge everything before that address.
 *
 * @param trustedProxies networks, separated by commas
 */
export function createFindAddress(trustedProxies: string): FindAddress {
  const trusted = readNetworks(trustedProxies);
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return ({ socket, headers }) => {
    let address = plainAddress(socket.remoteAddress ?? '');
    const forwarded = headers['x-forwarded-for'];
    if (forwarded === undefined || trustedProxies === '') return networkOf(address);
    const named = String(forwarded).split(',');
    while (isIP(address) !== 0 && isTrusted(address)) {
      const next = plainAddress(named.pop()?.trim() ?? '');
      if (isIP(next) === 0) break;
      address = next;
    }
    return networkOf(address);
  };
}
