import { lookup } from 'node:dns/promises';
import type { Config } from '../config.js';
import { isAddressAllowed, isHostAllowed, parseHost, parseHostRules } from './hostRules.js';

/** The settings that name the external servers that a service may reach. */
export type HostSetting = Extract<keyof Config, `${string}_HOSTS`>;

/** An allowed server. Connect only to these addresses, whatever its name resolves to later. */
export interface Destination {
  host: string;
  port: number;
  addresses: string[];
}

/** The hosts that the operator allows, and the name of the setting. */
export interface AllowedHosts {
  setting: HostSetting;
  /** The value of the setting. If it is empty, no server is allowed. */
  value: string;
  /** True if only named hosts are allowed: `*`, for every public host, then allows nothing. */
  isNamedOnly?: boolean;
}

/** Returns all addresses of a host name. */
export type ResolveName = (name: string) => Promise<string[]>;

/** Queries the resolver of the system, including its hosts file. */
export async function resolveName(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

/** Why a server may not, or cannot, be reached. Its message may be returned to callers. */
export class DestinationError extends Error {
  override readonly name = 'DestinationError';
  constructor(
    readonly reason: 'notAllowed' | 'unreachable',
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/**
 * Resolves a host once and checks all of its addresses. One address that is not allowed rejects the host: a
 * name with a public and a private address is not trusted.
 *
 * @throws DestinationError `notAllowed`, or `unreachable` if an allowed name does not resolve
 */
export async function findDestination(
  { host: text, port }: { host: string; port: number },
  allowed: AllowedHosts,
  resolve: ResolveName = resolveName,
): Promise<Destination> {
  const rules = readRules(allowed);
  const host = parseHost(text);
  if (host === undefined || !isHostAllowed(rules, host, port)) throw notAllowed(allowed);
  if (host.kind === 'address') return { host: text, port, addresses: [text] };
  const addresses = await resolve(host.name).catch((cause: unknown) => {
    throw new DestinationError('unreachable', 'The host name could not be resolved.', cause);
  });
  if (addresses.length === 0) {
    throw new DestinationError('unreachable', 'The host name could not be resolved.');
  }
  if (!addresses.every((address) => isAddressAllowed(rules, address, port))) throw notAllowed(allowed);
  return { host: host.name, port, addresses };
}

function readRules({ setting, value, isNamedOnly = false }: AllowedHosts) {
  const rules = parseHostRules(value);
  if ('wrongEntry' in rules) {
    const cause = new Error(`${setting}: "${rules.wrongEntry}" is not a host, address or network`);
    throw new DestinationError('notAllowed', `The setting ${setting} cannot be read.`, cause);
  }
  const { names, networks, publicPorts } = rules;
  if (names.length + networks.length + publicPorts.length > 0)
    return isNamedOnly ? { ...rules, publicPorts: [] } : rules;
  throw new DestinationError(
    'notAllowed',
    `No server may be reached: the operator has to allow hosts in ${setting}.`,
  );
}

function notAllowed({ setting }: AllowedHosts): DestinationError {
  return new DestinationError(
    'notAllowed',
    `This host and port may not be reached: the operator allows others in ${setting}.`,
  );
}
