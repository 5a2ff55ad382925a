import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(path.join(root, file)));
const pages = files.filter((file) => file.endsWith('.md') && file !== 'CHANGELOG.md');

/** What pages name and only a build, a reader or the gateway's own pages have. */
const ELSEWHERE = new Set([
  'apps/reports',
  'dev/site/dist',
  'GET /readyz',
  'GET /healthz',
  'GET /console/session',
]);

/** The texts in backticks of all pages that match, without those of `ELSEWHERE`, each with its page. */
function namesInPages(pattern: RegExp): [page: string, name: string][] {
  return pages.flatMap((page) =>
    [...read(page).matchAll(/`([^`\n]+)`/g)]
      .map(([, name = '']) => name)
      .filter((name) => pattern.test(name) && !ELSEWHERE.has(name))
      .map((name): [string, string] => [page, name]),
  );
}

it('the pages name only files and folders that exist', () => {
  const names = namesInPages(/^(?:apps|bench|dev|docs|infra|packages|scripts|tests)\/[\w./-]+$/);
  expect(names.length).toBeGreaterThan(200);
  expect(names.filter(([, name]) => !existsSync(path.join(root, name)))).toEqual([]);
});

it('the pages name only commands of npm that exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/npm run (?:--\S+ )?([a-z:-]+)/g)].map(([, name = '']) => [page, name] as const),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(([, name]) => !(name in scripts))).toEqual([]);
});

it('the pages name only routes of the OpenAPI document', () => {
  const { paths } = JSON.parse(read('docs/openapi.json')) as { paths: Record<string, object> };
  const routes = Object.entries(paths).flatMap(([route, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${withoutNames(route)}`),
  );
  const names = namesInPages(/^(?:GET|POST|PUT|PATCH|DELETE) [/…]\S{2,}$/);
  const isKnown = ([, name]: [string, string]) => {
    const [method = '', route = ''] = name.split(' ');
    const end = withoutNames(route.replace(/^…/, '').replace(/\?.*/, ''));
    return routes.some((known) => known.startsWith(`${method} `) && known.endsWith(end));
  };
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !isKnown(name))).toEqual([]);
});

/** A route, whatever its parameters are called. */
const withoutNames = (route: string) => route.replaceAll(/\{\w+\}/g, '{}');

/** Modes of MySQL that the docs exclude, and no source names. */
const SQL_MODES = ['NO_BACKSLASH_ESCAPES', 'EMPTY_STRING_IS_NULL'];

it('the pages name only variables and codes that the sources have', () => {
  const sources = files
    .filter((file) => /\.(?:ts|tsx|mjs|ya?ml)$|Dockerfile$/.test(file))
    .map(read)
    .join('\n');
  const known = new Set([...(sources.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? []), ...SQL_MODES]);
  const names = namesInPages(/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/);
  expect(names.length).toBeGreaterThan(300);
  expect(names.filter(([, name]) => !known.has(name))).toEqual([]);
});
