import { readConfig, type Config } from '@gatehouse/service';
import { describe, expect, it } from 'vitest';
import { readOidcSettings } from './settings.js';

const GIVEN = {
  OIDC_ISSUER: 'https://login.example.com/realms/acme',
  OIDC_CLIENT_ID: 'gatehouse',
  OIDC_MAPPING: '{"organizationId":"o_1","people":[{"role":"VIEWER"}]}',
  PUBLIC_URL: 'https://gatehouse.example.com',
};
const read = (changes: Partial<Record<keyof Config, string>>) =>
  readOidcSettings(readConfig({ ...GIVEN, ...changes }));

describe('the settings of the provider', () => {
  it('are complete with an issuer, a client, a mapping and the public address', () => {
    const settings = read({ OIDC_HOSTS: 'keys.example.com, Token.example.com:8443' });
    expect(settings).toMatchObject({
      clientId: 'gatehouse',
      matchesEmail: false,
      scope: 'openid email profile',
    });
    expect(settings?.hosts).toEqual(['login.example.com', 'keys.example.com', 'token.example.com:8443']);
  });

  it.each([
    ['keys.example.com:443', 'keys.example.com'],
    ['KEYS.example.com', 'keys.example.com'],
    ['schlüssel.example', 'xn--schlssel-95a.example'],
    ['[::1]:8443', '[::1]:8443'],
  ])('compare the host %s as an address has it: %s', (entry, host) => {
    expect(read({ OIDC_HOSTS: entry })?.hosts).toEqual(['login.example.com', host]);
  });

  it('are none without an issuer', () => {
    expect(read({ OIDC_ISSUER: '' })).toBeNull();
  });

  it.each<[string, Partial<Record<keyof Config, string>>]>([
    ['OIDC_CLIENT_ID', { OIDC_CLIENT_ID: '' }],
    ['OIDC_MAPPING', { OIDC_MAPPING: '' }],
    ['OIDC_MAPPING', { OIDC_MAPPING: '{"organizationId":' }],
    ['OIDC_MAPPING', { OIDC_MAPPING: '{}' }],
    ['OIDC_MAPPING', { OIDC_MAPPING: '/nonexistent.json' }],
    ['PUBLIC_URL', { PUBLIC_URL: '' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'http://gatehouse.example.com' }],
    ['OIDC_ISSUER', { OIDC_ISSUER: 'http://login.example.com' }],
    ['OIDC_HOSTS', { OIDC_HOSTS: 'https://keys.example.com' }],
    ['OIDC_HOSTS', { OIDC_HOSTS: 'keys.example.com/certs' }],
    ['OIDC_HOSTS', { OIDC_HOSTS: 'keys.example.com:99999' }],
    ['OIDC_HOSTS', { OIDC_HOSTS: 'user@keys.example.com' }],
    ['OIDC_HOSTS', { OIDC_HOSTS: 'keys.example.com token.example.com' }],
  ])('name %s at the start if it is wrong: %j', (name, changes) => {
    expect(() => read(changes)).toThrow(name);
  });

  it.each(['http://127.0.0.1:9000', 'http://localhost:9000', 'http://[::1]:9000'])(
    'allow plain HTTP on the machine itself: %s',
    (address) => {
      expect(read({ OIDC_ISSUER: address, PUBLIC_URL: address })?.issuer.href).toBe(`${address}/`);
    },
  );
});
