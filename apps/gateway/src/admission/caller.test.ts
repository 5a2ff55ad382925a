import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createFindAddress } from './caller.js';

const requestFrom = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

describe('the address of a caller', () => {
  it.each([
    ['nothing is trusted', '', ['10.1.0.1', '1.2.3.4', '10.1.0.1']],
    ['the peer is not a proxy', '10.1.0.0/16', ['8.8.8.8', '1.2.3.4', '8.8.8.8']],
    ['one proxy forwards it', '10.1.0.0/16', ['10.1.0.1', '1.2.3.4', '1.2.3.4']],
    ['it claims another address', '10.1.0.0/16', ['10.1.0.1', '9.9.9.9, 1.2.3.4', '1.2.3.4']],
    ['it claims to be a proxy', '10.1.0.0/16', ['10.1.0.1', '10.1.0.7, 1.2.3.4', '1.2.3.4']],
    [
      'two proxies forward it',
      '10.1.0.0/16,192.0.2.1',
      ['10.1.0.1', '9.9.9.9, 1.2.3.4, 192.0.2.1', '1.2.3.4'],
    ],
    ['the proxy sends no address', '10.1.0.0/16', ['10.1.0.1', undefined, '10.1.0.1']],
    ['the proxy forwards no address', '10.1.0.0/16', ['10.1.0.1', '1.2.3.4, unknown', '10.1.0.1']],
    ['the socket uses IPv6', '10.1.0.0/16', ['::ffff:10.1.0.1', '1.2.3.4', '1.2.3.4']],
    ['the proxy uses IPv6', '2001:db8::/32', ['2001:db8::1', '2001:db9:1:2:3::4', '2001:db9:1:2']],
  ])('is found when %s (%s, %j)', (_, trusted, [peer = '', forwarded, address]) => {
    expect(createFindAddress(trusted)(requestFrom(peer, forwarded))).toBe(address);
  });

  it.each(['nonsense', '10.0.0.0/33', '10.0.0.0/x', '::1/129'])(
    'cannot be found with the trusted proxies %s',
    (list) => {
      expect(() => createFindAddress(list)).toThrow('TRUSTED_PROXIES must list addresses and networks');
    },
  );
});
