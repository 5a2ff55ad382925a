import { lookup } from 'node:dns/promises';
import { isAddressAllowed, isHostAllowed, parseHost, parseHostRules } from './addressRules.js';
import { IntrospectionError } from './outcome.js';

/** A server that may be reached: only at these addresses, whatever its name resolves to later. */
export interface Destination {
  host: string;
  port: number;
  addresses: string[];
}

/** Gives all addresses of a host name. */
export type ResolveName = (name: string) => Promise<string[]>;

/** Asks the system's resolver, its hosts file included. */
export async function resolveName(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true, verbatim: true });
  return found.map(({ address }) => address);
}

/**
 * Resolves a host once and checks every address it has. A single address that is not allowed refuses them all: a name that
 * stands for a public and a private address is not trusted to mean the public one.
 *
 * @throws IntrospectionError `notAllowed`, or `unreachable` when an allowed name does not resolve
 */
export async function findDestination(
  { host: text, port }: { host: string; port: number },
  allowedHosts: string,
  resolve: ResolveName,
): Promise<Destination> {
  const rules = parseHostRules(allowedHosts);
  if ('wrongEntry' in rules) {
    const cause = new Error(
      `CONNECTION_HOSTS holds "${rules.wrongEntry}", which is no host, address or network`,
    );
    throw new IntrospectionError('notAllowed', 'The setting CONNECTION_HOSTS cannot be read.', cause);
  }
  if (rules.names.length + rules.networks.length === 0) {
    throw new IntrospectionError(
      'notAllowed',
      'No database server may be reached: the operator has to allow hosts in CONNECTION_HOSTS.',
    );
  }
  const host = parseHost(text);
  if (host === undefined || !isHostAllowed(rules, host, port)) throw notAllowed();
  if (host.kind === 'address') return { host: text, port, addresses: [text] };
  const addresses = await resolve(host.name).catch((cause: unknown) => {
    throw new IntrospectionError('unreachable', 'The host name could not be resolved.', cause);
  });
  if (addresses.length === 0) {
    throw new IntrospectionError('unreachable', 'The host name could not be resolved.');
  }
  if (!addresses.every((address) => isAddressAllowed(rules, address, port))) throw notAllowed();
  return { host: host.name, port, addresses };
}

function notAllowed(): IntrospectionError {
  return new IntrospectionError(
    'notAllowed',
    'This host and port may not be reached: the operator allows others in CONNECTION_HOSTS.',
  );
}
