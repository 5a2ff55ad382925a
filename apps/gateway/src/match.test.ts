import { routes } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { createMatcher, type MatchedRoute } from './match.js';

const table = (...lines: [MatchedRoute['method'], string][]) =>
  createMatcher(lines.map(([method, path]) => ({ route: { method, path } })));

const match = table(
  ['GET', '/things'],
  ['POST', '/things'],
  ['GET', '/things/{id}'],
  ['GET', '/things/new'],
  ['DELETE', '/things/{id}/parts/{partId}'],
  ['GET', '/things/new/parts'],
);

describe('a path', () => {
  it('gives its parameters in order, as they were written', () => {
    expect(match('DELETE', '/things/a%2Fb/parts/%zz')).toMatchObject({
      kind: 'route',
      target: { route: { path: '/things/{id}/parts/{partId}' } },
      values: ['a%2Fb', '%zz'],
    });
  });

  it('is taken by a static segment before a parameter', () => {
    expect(match('GET', '/things/new')).toMatchObject({
      target: { route: { path: '/things/new' } },
      values: [],
    });
  });

  it('falls back to the parameter where the static segment leads nowhere', () => {
    expect(match('DELETE', '/things/new/parts/1')).toMatchObject({ kind: 'route', values: ['new', '1'] });
  });

  it.each([
    '/',
    '',
    '/thing',
    '/things/',
    '//things',
    '/things/a/parts',
    '/things//parts/1',
    '/Things',
    '/%74hings',
    'http://x/things',
    '*',
    '/things/..',
  ])('%s names nothing, or only what it says', (path) => {
    const { kind } = match('POST', path);
    expect(kind).toBe(path === '/things/..' ? 'otherMethod' : 'unknown');
  });

  it('of a hundred thousand segments names nothing', () => {
    expect(match('GET', '/things/a'.repeat(50_000)).kind).toBe('unknown');
  });

  it('that reads like a property of objects names nothing', () => {
    expect(match('GET', '/__proto__').kind).toBe('unknown');
    expect(match('GET', '/constructor').kind).toBe('unknown');
  });
});

describe('a method', () => {
  it('that a path does not have is told apart from a path that does not exist', () => {
    expect(match('PUT', '/things')).toEqual({ kind: 'otherMethod', allow: 'GET, HEAD, POST' });
  });

  it('HEAD is answered where GET is', () => {
    expect(match('HEAD', '/things/1')).toMatchObject({ kind: 'route', target: { route: { method: 'GET' } } });
  });
});

describe('the route table', () => {
  const matchRoute = createMatcher(routes.map((route) => ({ route })));

  it.each(routes.map((route) => [route.method, route.path, route] as const))(
    'finds %s %s',
    (method, path, route) => {
      const matched = matchRoute(method, path.replaceAll(/[{}]/g, '_'));
      expect(matched).toMatchObject({ kind: 'route', target: { route } });
    },
  );

  it('may not hold two routes for one method and path', () => {
    expect(() => table(['GET', '/a/{x}'], ['GET', '/a/{y}'])).toThrow('Two routes for GET /a/{y}');
  });
});
