import { describe, expect, it } from 'vitest';
import { failureOf, hasFailedForLong } from './deliveryHealth.js';
import { changesOf, consequencesOf } from './webhookChanges.js';
import { replaceSecret, secretsInForce } from './webhookSecrets.js';
import { parseWebhookUrl } from './webhookUrl.js';

describe('parseWebhookUrl', () => {
  it.each([
    ['https://example.com', { host: 'example.com', port: 443, isSecure: true }],
    ['https://Example.com:8443/a?b=c', { host: 'example.com', port: 8443, isSecure: true }],
    ['http://10.0.0.1/a', { host: '10.0.0.1', port: 80, isSecure: false }],
    ['https://[fd00::1]:444/', { host: 'fd00::1', port: 444, isSecure: true }],
    ['https://0x7f.1/', { host: '127.0.0.1', port: 443, isSecure: true }],
    ['https://bücher.example/', { host: 'xn--bcher-kva.example', port: 443, isSecure: true }],
  ])('%s', (text, target) => {
    expect(parseWebhookUrl(text)).toEqual(target);
  });

  it.each([
    'example.com',
    'ftp://example.com/',
    'file:///etc/passwd',
    'https://',
    'https://user@example.com/',
    'https://:password@example.com/',
    'https://example.com/#part',
    'https://example.com:99999/',
    'gopher://127.0.0.1/',
  ])('refuses %s', (text) => {
    expect(parseWebhookUrl(text)).toEqual(expect.any(String));
  });
});

describe('the secrets in force', () => {
  const now = new Date('2026-05-01T12:00:00Z');
  const later = (hours: number) => new Date(now.getTime() + hours * 3_600_000);

  it('are the present one and, for 24 hours, the one before', () => {
    const rotated = replaceSecret({ sealedSecret: 'a', formerSecrets: [] }, 'b', now);
    expect(secretsInForce(rotated, now)).toEqual(['b', 'a']);
    expect(secretsInForce(rotated, later(23.9))).toEqual(['b', 'a']);
    expect(secretsInForce(rotated, later(24))).toEqual(['b']);
  });

  it('are five at most, however often one is replaced', () => {
    const names = ['b', 'c', 'd', 'e', 'f', 'g'];
    const rotated = names.reduce((secrets, name) => replaceSecret(secrets, name, now), {
      sealedSecret: 'a',
      formerSecrets: [],
    } as ReturnType<typeof replaceSecret>);
    expect(secretsInForce(rotated, now)).toEqual(['g', 'f', 'e', 'd', 'c']);
    expect(secretsInForce(replaceSecret(rotated, 'h', later(25)), later(25))).toEqual(['h', 'g']);
  });
});

describe('failureOf', () => {
  it.each([
    [200, null],
    [204, null],
    [299, null],
    [301, 'redirected'],
    [307, 'redirected'],
    [400, 'refused'],
    [410, 'refused'],
    [503, 'refused'],
    [199, 'refused'],
  ])('%i is %s', (status, failure) => {
    expect(failureOf(status)).toBe(failure);
  });
});

describe('hasFailedForLong', () => {
  it('is true from the fifth day on', () => {
    const since = new Date('2026-05-01T12:00:00Z');
    expect(hasFailedForLong(since, new Date('2026-05-06T11:59:59Z'))).toBe(false);
    expect(hasFailedForLong(since, new Date('2026-05-06T12:00:00Z'))).toBe(true);
  });
});

describe('changesOf', () => {
  const current = {
    url: 'https://a.example/',
    description: '',
    eventTypes: ['*'],
    projectId: null,
    isEnabled: true,
  };
  it('names what differs, and nothing that stays', () => {
    expect(changesOf(current, { eventTypes: ['*'], url: undefined, projectId: null })).toBeNull();
    expect(changesOf(current, { eventTypes: ['*', '*'], isEnabled: true })).toEqual({
      eventTypes: { from: ['*'], to: ['*', '*'] },
    });
  });

  it('takes what follows: by hand disabled, and a clean record for who begins anew', () => {
    const wanting = (wanted: object) => consequencesOf(changesOf(current, wanted) ?? {});
    expect(wanting({ isEnabled: false })).toEqual({ disabledReason: 'manual' });
    expect(wanting({ url: 'https://b.example/' })).toEqual({ failingSince: null });
    expect(wanting({ description: 'x' })).toEqual({});
    expect(consequencesOf({ isEnabled: { from: false, to: true } })).toEqual({
      disabledReason: null,
      failingSince: null,
    });
  });
});
