import { describe, expect, it } from 'vitest';
import { dialectOf, findRedirections, type ServerTarget, type StoredConfig } from './config.js';

const target: ServerTarget = { host: 'db.example.com', database: 'sales', user: 'reader', tls: 'verify' };
const server = (fields: Partial<ServerTarget> = {}): StoredConfig => ({
  type: 'postgres',
  config: { ...target, ...fields },
});

describe('a stored password', () => {
  it.each([
    ['another host', { host: 'db.example.org' }, ['host']],
    ['another port', { port: 5433 }, ['port']],
    ['another user', { user: 'admin' }, ['user']],
    ['less protection', { tls: 'disable' as const }, ['tls']],
    ['several of them', { host: 'a', user: 'b', port: 1 }, ['host', 'user', 'port']],
    ['the default port, given explicitly', { port: 5432 }, []],
    ['another database of the same server', { database: 'stock' }, []],
  ])('must be repeated, or not, for %s', (_, fields, expected) => {
    expect(findRedirections(server(), server(fields))).toEqual(expected);
    expect(findRedirections(server(fields), server())).toEqual(expected);
  });
});

it('derives the dialect from the type, or from the configuration of a static connection', () => {
  expect(dialectOf(server())).toBe('postgres');
  expect(dialectOf({ type: 'sqlite', config: { file: 'a.db' } })).toBe('sqlite');
  expect(dialectOf({ type: 'static', config: { dialect: 'snowflake' } })).toBe('snowflake');
});
