import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

interface Ports {
  first: number;
  last: number;
}
interface NameRule extends Ports {
  /** In lower case, and without the `*.` of a wildcard. */
  name: string;
  isWildcard: boolean;
}
interface NetworkRule extends Ports {
  network: Address;
  prefixLength: number;
}

/** A parsed list of allowed hosts. */
export interface HostRules {
  names: NameRule[];
  networks: NetworkRule[];
  /** The ports on which every public host is allowed. */
  publicPorts: Ports[];
}

/** A parsed host. */
export type Host = { kind: 'name'; name: string } | { kind: 'address'; address: Address };

const PORTS = String.raw`(?::(?<first>\d{1,5})(?:-(?<last>\d{1,5}))?)?`;
const V4_ENTRY = new RegExp(String.raw`^(?<host>\d+(?:\.\d+){3})(?:/(?<bits>\d{1,2}))?${PORTS}$`);
const V6_ENTRY = new RegExp(String.raw`^\[(?<host>[0-9a-f:.]+)\](?:/(?<bits>\d{1,3}))?${PORTS}$`, 'i');
const NAME_ENTRY = new RegExp(String.raw`^(?<wildcard>\*\.)?(?<host>[^:/*[\]]+)${PORTS}$`);
const PUBLIC_ENTRY = new RegExp(String.raw`^\*${PORTS}$`);

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;
/** A last label that some resolvers read as a number, and the whole name then as an IPv4 address. */
const NUMBER_LABEL = /^(?:\d+|0x[0-9a-f]*)$/;

/**
 * Parses a list of allowed hosts. Entries are separated by commas or white space. Each is a host name
 * (`db.example.com`), all names below one (`*.example.com`), every public host (`*`), an address (`10.1.2.3`,
 * `[fd00::1]`) or a network (`10.1.0.0/16`, `[fd00::]/8`), with an optional port or range (`:5432`,
 * `:5432-5440`). Without ports an entry allows all.
 *
 * @returns the rules, or the first invalid entry
 */
export function parseHostRules(text: string): HostRules | { wrongEntry: string } {
  const rules: HostRules = { names: [], networks: [], publicPorts: [] };
  for (const entry of text.split(/[\s,]+/).filter((part) => part !== '')) {
    const rule = parseEntry(entry);
    if (rule === undefined) return { wrongEntry: entry };
    if ('name' in rule) rules.names.push(rule);
    else if ('network' in rule) rules.networks.push(rule);
    else rules.publicPorts.push(rule);
  }
  return rules;
}

/**
 * Parses a host. Each form of an address has one spelling: four decimal numbers without leading zeros, or
 * IPv6 without brackets and zone. Any other text that a resolver might read as an address (octal,
 * hexadecimal, fewer parts) is rejected, and so is a name with a trailing dot.
 */
export function parseHost(text: string): Host | undefined {
  const address = parseAddress(text);
  if (address !== undefined) return { kind: 'address', address };
  const name = text.toLowerCase();
  return isName(name) ? { kind: 'name', name } : undefined;
}

/** Returns true if a connection may name this host. `isAddressAllowed` checks the addresses of a name. */
export function isHostAllowed(rules: HostRules, host: Host, port: number): boolean {
  const isAnyPublic = rules.publicPorts.some((ports) => isInPorts(ports, port));
  if (host.kind === 'address')
    return isCovered(rules, host.address, port) || (isAnyPublic && isPublic(host.address));
  if (isAnyPublic) return true;
  return rules.names.some(
    ({ name, isWildcard, ...ports }) =>
      isInPorts(ports, port) && (isWildcard ? host.name.endsWith(`.${name}`) : host.name === name),
  );
}

/**
 * Returns true if an allowed name may resolve to this address: a public one, or one of an allowed network.
 */
export function isAddressAllowed(rules: HostRules, text: string, port: number): boolean {
  const address = parseAddress(text);
  return address !== undefined && (isPublic(address) || isCovered(rules, address, port));
}

function parseEntry(entry: string): NameRule | NetworkRule | Ports | undefined {
  const anyPublic = PUBLIC_ENTRY.exec(entry);
  if (anyPublic !== null) return parsePorts({ ...anyPublic.groups });
  const network = V4_ENTRY.exec(entry)?.groups ?? V6_ENTRY.exec(entry)?.groups;
  if (network !== undefined) return parseNetwork(network);
  const groups = NAME_ENTRY.exec(entry)?.groups;
  const ports = groups && parsePorts(groups);
  const name = groups?.['host']?.toLowerCase();
  if (ports === undefined || name === undefined || !isName(name)) return undefined;
  return { name, isWildcard: groups?.['wildcard'] !== undefined, ...ports };
}

function parseNetwork(groups: Record<string, string | undefined>): NetworkRule | undefined {
  const ports = parsePorts(groups);
  const network = parseAddress(groups['host'] ?? '');
  // An IPv4-mapped network must be written as IPv4, because such addresses are checked as IPv4.
  if (ports === undefined || network === undefined || isMapped(network)) return undefined;
  const width = network.toByteArray().length * 8;
  const prefixLength = Number(groups['bits'] ?? width);
  if (prefixLength > width || !isNetworkAddress(network, prefixLength)) return undefined;
  return { network, prefixLength, ...ports };
}

function parsePorts(groups: Record<string, string | undefined>): Ports | undefined {
  const first = Number(groups['first'] ?? 1);
  const last = Number(groups['last'] ?? groups['first'] ?? 65_535);
  return first >= 1 && first <= last && last <= 65_535 ? { first, last } : undefined;
}

function isInPorts({ first, last }: Ports, port: number): boolean {
  return port >= first && port <= last;
}

function parseAddress(text: string): Address | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text);
  return /^[0-9a-f:.]+$/i.test(text) && ipaddr.IPv6.isValid(text) ? ipaddr.IPv6.parse(text) : undefined;
}

function isName(name: string): boolean {
  const labels = name.split('.');
  return (
    name.length <= 253 &&
    labels.every((label) => LABEL.test(label)) &&
    !NUMBER_LABEL.test(labels.at(-1) ?? '')
  );
}

/**
 * Returns true if the bits after the prefix are zero. `10.1.2.3/16` is a mistake, and its intent is unknown.
 */
function isNetworkAddress(address: Address, prefixLength: number): boolean {
  const bits = address
    .toByteArray()
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('');
  return !bits.slice(prefixLength).includes('1');
}

function isMapped(address: Address): address is ipaddr.IPv6 {
  return address.kind() === 'ipv6' && (address as ipaddr.IPv6).isIPv4MappedAddress();
}

/**
 * Returns true for global unicast that stands for no other address: neither special-purpose (RFC 6890 and its
 * registries) nor a form that contains an IPv4 address (mapped, 6to4, Teredo, NAT64). Outside 2000::/3 no
 * IPv6 address is global unicast (RFC 4291).
 */
function isPublic(address: Address): boolean {
  const isGlobal = address.kind() === 'ipv4' || ((address.toByteArray()[0] ?? 0) & 0xe0) === 0x20;
  return isGlobal && address.range() === 'unicast';
}

/** A connection to an IPv4-mapped address reaches the IPv4 address in it, so that address must be covered. */
function isCovered({ networks }: HostRules, address: Address, port: number): boolean {
  const reached = isMapped(address) ? address.toIPv4Address() : address;
  return networks.some(
    ({ network, prefixLength, ...ports }) =>
      network.kind() === reached.kind() && reached.match(network, prefixLength) && isInPorts(ports, port),
  );
}
