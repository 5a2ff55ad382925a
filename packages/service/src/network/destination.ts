import { lookup } from 'node:dns/promises';
import type { Config } from '../config.js';
import { isAddressAllowed, isHostAllowed, parseHost, parseHostRules } from './hostRules.js';

/** The settings that say which servers outside the platform a service may reach. */
export type HostSetting = Extract<keyof Config, `${string}_HOSTS`>;

/** A server that may be reached: only at these addresses, whatever its name resolves to later. */
export interface Destination {
  host: string;
  port: number;
  addresses: string[];
}

/** What the operator allows, and the setting that says so. */
export interface AllowedHosts {
  setting: HostSetting;
  /** The setting as it was set. Empty, no server may be reached. */
  value: string;
  /** Only hosts that the setting names count: `*`, for every public one, allows nothing. */
  isNamedOnly?: boolean;
}

/** Gives all addresses of a host name. */
export type ResolveName = (name: string) => Promise<string[]>;

/** Asks the system's resolver, its hosts file included. */
export async function resolveName(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

/** Why a server may or can not be reached. Its message may be shown to callers. */
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
 * Resolves a host once and checks every address it has. A single address that is not allowed refuses them all: a name that
 * stands for a public and a private address is not trusted to mean the public one.
 *
 * @throws DestinationError `notAllowed`, or `unreachable` when an allowed name does not resolve
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
    const cause = new Error(`${setting} holds "${rules.wrongEntry}", which is no host, address or network`);
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
