import { describe, expect, it } from 'vitest';
import { dialectOf, findRedirections, type ServerTarget, type StoredConfig } from './connectionConfig.js';

const target: ServerTarget = { host: 'db.example.com', database: 'sales', user: 'reader', tls: 'verify' };
const server = (fields: Partial<ServerTarget> = {}): StoredConfig => ({
  type: 'postgres',
  config: { ...target, ...fields },
});

describe('a password that is stored', () => {
  it.each([
    ['another host', { host: 'db.example.org' }, ['host']],
    ['another port', { port: 5433 }, ['port']],
    ['another user', { user: 'admin' }, ['user']],
    ['less protection', { tls: 'disable' as const }, ['tls']],
    ['more of it', { host: 'a', user: 'b', port: 1 }, ['host', 'user', 'port']],
    ['the usual port, said aloud', { port: 5432 }, []],
    ['another database of the same server', { database: 'stock' }, []],
  ])('has to be given again for %s, or not', (_, fields, expected) => {
    expect(findRedirections(server(), server(fields))).toEqual(expected);
    expect(findRedirections(server(fields), server())).toEqual(expected);
  });
});

it('a connection has the dialect of its type, a static one that of its configuration', () => {
  expect(dialectOf(server())).toBe('postgres');
  expect(dialectOf({ type: 'sqlite', config: { file: 'a.db' } })).toBe('sqlite');
  expect(dialectOf({ type: 'static', config: { dialect: 'snowflake' } })).toBe('snowflake');
});
