import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findDestination } from './destination.js';
import { isAddressAllowed, isHostAllowed, parseHost, parseHostRules, type HostRules } from './hostRules.js';

function rulesOf(text: string): HostRules {
  const rules = parseHostRules(text);
  if ('wrongEntry' in rules) throw new Error(`Wrong entry: ${rules.wrongEntry}`);
  return rules;
}

function isAllowed(rules: string, host: string, port = 5432): boolean {
  const parsed = parseHost(host);
  return parsed !== undefined && isHostAllowed(rulesOf(rules), parsed, port);
}

describe('parseHostRules', () => {
  it.each([
    ['10.1.2.3/16', 'bits behind the prefix'],
    ['10.1.0.0/33', 'a prefix that is too long'],
    ['[fd00::]/129', 'a prefix that is too long'],
    ['10.1.0/16', 'three parts'],
    ['010.1.0.0/16', 'a leading zero'],
    ['0x0a.1.0.0', 'a hexadecimal part'],
    ['2130706433', 'a number'],
    ['fd00::/8', 'IPv6 without brackets'],
    ['[fd00::%eth0]', 'a zone'],
    ['[::ffff:10.0.0.0]/104', 'an IPv4-mapped network'],
    ['*:0', 'port 0 of every public host'],
    ['**', 'two asterisks'],
    ['db.*.example.com', 'an asterisk in the middle'],
    ['*db.example.com', 'half a label'],
    ['db.example.com.', 'a trailing dot'],
    ['db..example.com', 'an empty label'],
    ['-db.example.com', 'a label that begins with a hyphen'],
    ['db.example.com:0', 'port 0'],
    ['db.example.com:70000', 'a port that is too large'],
    ['db.example.com:6000-5000', 'a range that ends before it begins'],
    ['db.example.com:', 'no port behind the colon'],
    ['https://db.example.com', 'a URL'],
    ['bücher.example', 'a name that is not in its ASCII form'],
  ])('refuses %s: %s', (entry) => {
    expect(parseHostRules(`good.example.com, ${entry}`)).toEqual({ wrongEntry: entry });
  });

  it('accepts entries separated by commas and white space, and an empty list', () => {
    expect(rulesOf('a.example, 10.0.0.0/8\n[::1]:5432  *.b.example:1-2,')).toMatchObject({
      names: [{ name: 'a.example' }, { name: 'b.example', isWildcard: true, first: 1, last: 2 }],
      networks: [{ prefixLength: 8 }, { prefixLength: 128, first: 5432, last: 5432 }],
    });
    expect(rulesOf(' ')).toEqual({ names: [], networks: [], publicPorts: [] });
    expect(rulesOf('* *:443')).toMatchObject({ publicPorts: [{ first: 1 }, { first: 443, last: 443 }] });
  });
});

describe('isHostAllowed', () => {
  it.each([
    ['db.example.com', 'db.example.com', true],
    ['DB.Example.com', 'db.eXample.COM', true],
    ['db.example.com', 'xdb.example.com', false],
    ['db.example.com', 'a.db.example.com', false],
    ['*.example.com', 'a.b.example.com', true],
    ['*.example.com', 'example.com', false],
    ['*.example.com', 'evilexample.com', false],
    ['10.1.0.0/16', '10.1.255.255', true],
    ['10.1.0.0/16', '10.2.0.0', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['[fd00::]/8', 'fdff::1', true],
    ['[fd00::]/8', 'fe00::1', false],
    ['10.0.0.0/8', '::ffff:10.1.1.1', true],
    ['[::]/0', '::ffff:127.0.0.1', false],
    ['0.0.0.0/0', '::1', false],
    ['*.example.com 0.0.0.0/0', 'localhost', false],
    ['*', 'db.example.com', true],
    ['*', '93.184.216.34', true],
    ['*', '2606:2800:220:1::1', true],
    ['*', '127.0.0.1', false],
    ['*', '10.0.0.1', false],
    ['*', '169.254.169.254', false],
    ['*', '::1', false],
    ['*', 'fd00::1', false],
    ['*', '::ffff:93.184.216.34', false],
    ['*:443', 'db.example.com', false],
    ['* 10.0.0.0/8', '10.0.0.1', true],
    ['', 'db.example.com', false],
    ['', '93.184.216.34', false],
  ])('%s: %s is %s', (rules, host, expected) => {
    expect(isAllowed(rules, host)).toBe(expected);
  });

  it('allows only the ports of an entry', () => {
    const rules = 'db.example.com:5432 10.0.0.0/8:5000-6000';
    expect(isAllowed(rules, 'db.example.com', 5432)).toBe(true);
    expect(isAllowed(rules, 'db.example.com', 22)).toBe(false);
    expect(isAllowed(rules, '10.0.0.1', 6000)).toBe(true);
    expect(isAllowed(rules, '10.0.0.1', 6001)).toBe(false);
    expect(isAddressAllowed(rulesOf(rules), '10.0.0.1', 6001)).toBe(false);
  });
});

describe('* for every public host', () => {
  it('rejects a name that resolves to a private address', () => {
    for (const address of [
      '127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '::1',
      'fd00::1',
      '64:ff9b::a9fe:a9fe',
    ]) {
      expect(isAddressAllowed(rulesOf('*'), address, 443)).toBe(false);
    }
    expect(isAddressAllowed(rulesOf('*'), '93.184.216.34', 443)).toBe(true);
  });

  it('allows nothing where hosts must be named', async () => {
    const resolve = () => Promise.resolve(['93.184.216.34']);
    const find = (value: string, isNamedOnly: boolean) =>
      findDestination(
        { host: 'hooks.example.com', port: 80 },
        { setting: 'WEBHOOK_HOSTS', value, isNamedOnly },
        resolve,
      );
    expect(await find('*', false)).toMatchObject({ addresses: ['93.184.216.34'] });
    expect(await find('* hooks.example.com', true)).toMatchObject({ addresses: ['93.184.216.34'] });
    await expect(find('*', true)).rejects.toMatchObject({ reason: 'notAllowed' });
  });
});

describe('parseHost', () => {
  it.each([
    '0177.0.0.1',
    '0x7f.0.0.1',
    '0x7f000001',
    '2130706433',
    '127.1',
    '127.0.0.1.',
    '127.0.0.01',
    '256.0.0.1',
    '1.2.3.4.5',
    'localhost.',
    'a..b',
    '.a',
    '',
    'fe80::1%eth0',
    '[::1]',
    ':',
    'a:b',
    '1::2::3',
    '/var/run/postgresql',
    '../socket',
    '@socket',
    'db.example.com/x',
    'db.example.com:5432',
    'user@db.example.com',
    'a,b',
    'a b',
    'db。example',
    '127.0.0.1\0',
  ])('refuses %j', (host) => {
    expect(parseHost(host)).toBeUndefined();
  });
});

describe('isAddressAllowed', () => {
  it.each([
    ['127.0.0.1', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['192.168.1.1', 'private'],
    ['169.254.169.254', 'metadata of a cloud'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.100.100.200', 'metadata of a cloud'],
    ['192.0.0.192', 'metadata of a cloud'],
    ['192.0.2.1', 'documentation'],
    ['198.18.0.1', 'benchmarks'],
    ['224.0.0.1', 'multicast'],
    ['240.0.0.1', 'reserved'],
    ['255.255.255.255', 'broadcast'],
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::127.0.0.1', 'IPv4-compatible'],
    ['::ffff:127.0.0.1', 'IPv4-mapped'],
    ['::ffff:93.184.216.34', 'IPv4-mapped, of a public address'],
    ['::ffff:0:127.0.0.1', 'IPv4-translated'],
    ['64:ff9b::7f00:1', 'NAT64'],
    ['64:ff9b:1::a00:1', 'local NAT64'],
    ['2002:7f00:1::', '6to4'],
    ['2001::1', 'Teredo'],
    ['2001:db8::1', 'documentation'],
    ['fe80::1', 'link-local'],
    ['fec0::1', 'site-local'],
    ['fd00:ec2::254', 'metadata of a cloud'],
    ['ff02::1', 'multicast'],
    ['no address', 'no address'],
    ['', 'no address'],
  ])('refuses %s for an allowed name: %s', (address) => {
    expect(isAddressAllowed(rulesOf('db.example.com'), address, 5432)).toBe(false);
  });

  it('allows a name that resolves to public addresses and those of allowed networks', () => {
    const rules = rulesOf('db.example.com 10.1.0.0/16 [fd00::]/8');
    for (const address of ['93.184.216.34', '2a00:1450::1', '10.1.2.3', '::ffff:10.1.2.3', 'fd12::1']) {
      expect(isAddressAllowed(rules, address, 5432)).toBe(true);
    }
    expect(isAddressAllowed(rules, '10.2.0.1', 5432)).toBe(false);
  });
});

/**
 * The IANA registries of special-purpose addresses, with multicast and reserved ones. Of IPv6, those in
 * 2000::/3.
 */
const SPECIAL_V4: [string, number][] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];
const SPECIAL_V6: [bigint, number][] = [
  [0x2001n << 112n, 23],
  [0x20010db8n << 96n, 32],
  [0x2002n << 112n, 16],
  [0x2620004f8000n << 80n, 48],
  [0x3fffn << 112n, 20],
];

function numberOfV4(text: string): bigint {
  return text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
}

interface Bits {
  value: bigint;
  width: 32 | 128;
}

function isWithin({ value, width }: Bits, network: bigint, length: number): boolean {
  const shift = BigInt(width - length);
  return value >> shift === network >> shift;
}

function print({ value, width }: Bits): string {
  if (width === 32) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => (value >> BigInt(112 - 16 * index)) & 0xffffn);
  return groups.map((group) => group.toString(16)).join(':');
}

function isPublicByBits(address: Bits): boolean {
  if (address.width === 32) {
    return !SPECIAL_V4.some(([network, length]) => isWithin(address, numberOfV4(network), length));
  }
  return (
    address.value >> 125n === 1n &&
    !SPECIAL_V6.some(([network, length]) => isWithin(address, network, length))
  );
}

/** The address that a connection reaches: the IPv4 address of an IPv4-mapped one. */
function reachedByBits(address: Bits): Bits {
  const isMapped = address.width === 128 && address.value >> 32n === 0xffffn;
  return isMapped ? { value: address.value & 0xffffffffn, width: 32 } : address;
}

describe('isAddressAllowed against bit arithmetic', () => {
  const v4 = fc.bigInt(0n, 2n ** 32n - 1n).map((value): Bits => ({ value, width: 32 }));
  const v6 = fc.bigInt(0n, 2n ** 128n - 1n).map((value): Bits => ({ value, width: 128 }));
  const edgeV4 = fc
    .tuple(fc.constantFrom(...SPECIAL_V4), fc.constantFrom(-1n, 0n, 1n), fc.boolean())
    .map(([[text, length], step, isEnd]): Bits => {
      const start = numberOfV4(text) + (isEnd ? 2n ** BigInt(32 - length) : 0n);
      return { value: BigInt.asUintN(32, start + step), width: 32 };
    });
  const edgeV6 = fc
    .tuple(
      fc.constantFrom(...SPECIAL_V6, [1n << 125n, 3] as const),
      fc.constantFrom(-1n, 0n, 1n),
      fc.boolean(),
    )
    .map(([[network, length], step, isEnd]): Bits => {
      const start = network + (isEnd ? 2n ** BigInt(128 - length) : 0n);
      return { value: BigInt.asUintN(128, start + step), width: 128 };
    });
  const mapped = v4.map(({ value }): Bits => ({ value: (0xffffn << 32n) | value, width: 128 }));
  const unicastV6 = v6.map(({ value }): Bits => ({ value: (value >> 3n) | (1n << 125n), width: 128 }));
  const address = fc.oneof(v4, edgeV4, v6, unicastV6, edgeV6, mapped);
  const network = fc
    .tuple(address, fc.double({ min: 0, max: 1, noNaN: true }))
    .map(([{ value, width }, part]) => {
      const length = Math.round(part * width);
      const shift = BigInt(width - length);
      return { value: (value >> shift) << shift, width, length };
    })
    .filter((bits) => reachedByBits(bits) === bits);

  it('agrees on every address and every list of networks', () => {
    fc.assert(
      fc.property(address, fc.array(network, { maxLength: 4 }), (bits, networks) => {
        const text = networks.map((each) =>
          each.width === 32 ? `${print(each)}/${each.length}` : `[${print(each)}]/${each.length}`,
        );
        const reached = reachedByBits(bits);
        const isCovered = networks.some(
          ({ value, width, length }) => width === reached.width && isWithin(reached, value, length),
        );
        const rules = rulesOf(text.join(','));
        expect(isAddressAllowed(rules, print(bits), 1)).toBe(isCovered || isPublicByBits(bits));
        expect(isAllowed(text.join(','), print(bits), 1)).toBe(isCovered);
      }),
      { numRuns: randomRuns(2000) },
    );
  });
});
