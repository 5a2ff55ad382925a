import { describe, expect, it } from 'vitest';
import { parseWebhookUrl } from './url.js';

describe('parseWebhookUrl', () => {
  it.each([
    ['https://example.com', { host: 'example.com', port: 443, isSecure: true }],
    ['https://Example.com:8443/a?b=c', { host: 'example.com', port: 8443, isSecure: true }],
    ['http://10.0.0.1/a', { host: '10.0.0.1', port: 80, isSecure: false }],
    ['https://[fd00::1]:444/', { host: 'fd00::1', port: 444, isSecure: true }],
    ['https://0x7f.1/', { host: '127.0.0.1', port: 443, isSecure: true }],
    ['https://bücher.example/', { host: 'xn--bcher-kva.example', port: 443, isSecure: true }],
  ])('parses %s', (text, target) => {
    expect(parseWebhookUrl(text)).toMatchObject(target);
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
  ])('rejects %s', (text) => {
    expect(parseWebhookUrl(text)).toEqual(expect.any(String));
  });
});
