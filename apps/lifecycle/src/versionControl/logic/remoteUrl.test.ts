import { describe, expect, it } from 'vitest';
import { findWebUrl, parseRemoteUrl, parseWebUrl, ownCommitUrl } from './remoteUrl.js';

const SHA = 'a'.repeat(40);

describe('the URL of a remote', () => {
  it.each([
    ['https://Git.Example.com/a/b.git', 'https://git.example.com/a/b.git', 'git.example.com', 443],
    ['https://git.example.com:8443/a', 'https://git.example.com:8443/a', 'git.example.com', 8443],
    ['https://0x7f.1/a', 'https://127.0.0.1/a', '127.0.0.1', 443],
    ['https://[FD00::1]:99/a', 'https://[fd00::1]:99/a', 'fd00::1', 99],
    ['http://127.0.0.1:3000/a', 'http://127.0.0.1:3000/a', '127.0.0.1', 3000],
    ['http://[::1]/a', 'http://[::1]/a', '::1', 80],
  ])('%s is valid', (text, url, host, port) => {
    expect(parseRemoteUrl(text)).toMatchObject({ url, host, port });
  });

  it.each([
    'ssh://git@example.com/a.git',
    'git@example.com:a.git',
    'git://example.com/a',
    'file:///srv/a.git',
    '/srv/a.git',
    'ext::sh -c date',
    'http://example.com/a',
    'http://127.0.0.1.example.com/a',
    'http://localhost/a',
    'https://user@example.com/a',
    'https://:secret@example.com/a',
    'https://example.com/a?x=1',
    'https://example.com/a#x',
    'https://example.com/a?',
    'https://example.com/',
    '--upload-pack=x',
    '',
  ])('%s is invalid', (text) => {
    const reason = parseRemoteUrl(text);
    expect(reason).toMatch(/^must /);
    expect(reason).not.toContain('secret@');
  });
});

describe('the web URL of a commit', () => {
  it.each([
    ['https://github.com/a/b.git', null, `https://github.com/a/b/commit/${SHA}`],
    ['https://gitlab.example.com/a/b.git', null, `https://gitlab.example.com/a/b/-/commit/${SHA}`],
    ['https://bitbucket.org/a/b', null, `https://bitbucket.org/a/b/commits/${SHA}`],
    ['https://codeberg.org/a/b.git', null, `https://codeberg.org/a/b/commit/${SHA}`],
    ['https://git.example.com/a', 'https://web.example.com/a/', `https://web.example.com/a/commit/${SHA}`],
    ['https://git.example.com/a', 'https://w.example.com/?c={sha}', `https://w.example.com/?c=${SHA}`],
    ['https://git.example.com/a.git', null, null],
    ['https://notgithub.com/a.git', null, null],
  ])('of %s with %s is %s', (url, webUrl, found) => {
    expect(findWebUrl({ url, webUrl }, SHA)).toBe(found);
  });

  it.each([
    ['https://git.example.com/{sha}', 'https://git.example.com/{sha}'],
    ['https://Git.Example.com/a?c={sha}#{sha}', 'https://git.example.com/a?c={sha}#{sha}'],
    ['http://git.internal/commit/', 'http://git.internal/commit/'],
    ['https://{sha}.example.com/', null],
    ['javascript:alert(1)', null],
    ['data:text/html,x', null],
    ['https://user:pass@example.com/', null],
    ['/commit/{sha}', null],
  ])('%s has the normal form %s', (text, normal) => {
    expect(parseWebUrl(text)).toBe(normal);
  });
});

describe('the URL of a version in this service', () => {
  it.each([
    [undefined, ''],
    ['https://gatehouse.example.com', 'https://gatehouse.example.com'],
    ['https://gatehouse.example.com/', 'https://gatehouse.example.com'],
  ])('with the public address %s begins with "%s"', (publicUrl, begin) => {
    expect(ownCommitUrl(publicUrl, 'd_1', 'abc')).toBe(
      `${begin}/api/management/v1/dashboards/d_1/versions/abc`,
    );
  });
});
