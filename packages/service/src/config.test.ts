import { describe, expect, it } from 'vitest';
import { describeConfig, readConfig } from './config.js';

describe('the configuration', () => {
  it('has a default for everything that a standalone start needs', () => {
    expect(readConfig({})).toMatchObject({ HOST: '127.0.0.1', PORT: 8080, DATA_DIR: '.data', DEMO: true });
  });

  it('treats an empty variable as not set', () => {
    expect(readConfig({ PORT: '', MONGODB_URL: '' })).toMatchObject({ PORT: 8080, MONGODB_URL: undefined });
  });

  it('names every invalid variable, and no value', () => {
    const read = () => readConfig({ PORT: 'x-marks', PRINCIPAL_CACHE_MS: '60000', DEMO: 'maybe' });
    expect(read).toThrow(/PORT[^]*DEMO[^]*PRINCIPAL_CACHE_MS/);
    expect(read).not.toThrow('x-marks');
  });

  it.each([
    ['PUBLIC_URL', 'gatehouse.example.com', 'must be an absolute URL'],
    ['PUBLIC_URL', 'https://example.com/gatehouse', 'must have no path, query or user'],
    ['NATS_URL', 'localhost:4222', 'must begin with nats:// or tls://'],
    ['NATS_URL', 'nats://a:4222,nats://b:4222', 'must be the URL of one server'],
    ['CONNECTION_HOSTS', 'http://x', 'must list hosts, addresses or networks'],
    ['WEBHOOK_HOSTS', 'db.example.com, 10.1.2.3/16', 'must list hosts, addresses or networks'],
    ['REPOSITORY_HOSTS', 'git.example.com/team', 'must list hosts, addresses or networks'],
  ])('names %s if its value is %s', (name, value, fault) => {
    expect(() => readConfig({ [name]: value })).toThrow(
      `Invalid environment variables:\n  ${name}: ${fault}`,
    );
  });

  it('shows no secret in its description', () => {
    const text = describeConfig(readConfig({ MONGODB_URL: 'mongodb://u:hunter2@host', SEALING_KEYS: 'abc' }));
    expect(text).toContain('MONGODB_URL');
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain('abc');
  });
});
