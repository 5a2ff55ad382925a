/** The address of a remote that may be used. */
export interface RemoteAddress {
  /** In its one normal form. */
  url: string;
  /** A name, or an address without brackets. */
  host: string;
  port: number;
  /** Scheme, host and port: what credentials belong to. */
  origin: string;
}

const DEFAULT_PORTS: Record<string, number> = { 'https:': 443, 'http:': 80 };
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\])$/;
const ASCII_VISIBLE = /^[\x21-\x7e]+$/;

function parseUrl(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

/** Reads the address of a remote; answers why it cannot be one, in words that end "The address ...". */
export function parseRemoteUrl(text: string): RemoteAddress | string {
  const url = parseUrl(text);
  if (url === null) return 'must be an https address';
  if (url.protocol === 'ssh:' || url.protocol === 'git:')
    return 'must be an https address: ssh is not supported';
  const isPlainLoopback = url.protocol === 'http:' && LOOPBACK.test(url.hostname);
  if (url.protocol !== 'https:' && !isPlainLoopback)
    return 'must be an https address; http is for addresses of this machine alone';
  if (url.username !== '' || url.password !== '')
    return 'must not hold a user or a password: they go into username and token';
  if (text.includes('?') || text.includes('#')) return 'must have neither a query nor a fragment';
  if (url.pathname === '/') return 'must name a repository';
  if (!ASCII_VISIBLE.test(url.href)) return 'must be percent-encoded';
  const port = url.port === '' ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port);
  return { url: url.href, host: url.hostname.replaceAll(/^\[|\]$/g, ''), port, origin: url.origin };
}

const SHA = '{sha}';

/** Whether commits can be looked at there. `{sha}` may stand anywhere after the host. */
export function isWebUrl(text: string): boolean {
  const url = parseUrl(text.replaceAll(SHA, 'sha'));
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return false;
  return url.username === '' && url.password === '' && !url.host.includes('sha}') && url.hostname !== '';
}

/** Where well-known hosts show a commit, by what is in the name of the host. */
const COMMIT_PATHS: readonly (readonly [RegExp, string])[] = [
  [/(^|\.)github\b/, 'commit'],
  [/(^|\.)gitlab\b/, '-/commit'],
  [/^bitbucket\.org$/, 'commits'],
  [/^codeberg\.org$|(^|\.)(gitea|forgejo)\b/, 'commit'],
];

/** The web address of a commit of a remote; null where none is known. */
export function findWebUrl(
  { url, webUrl }: { url: string; webUrl: string | null },
  sha: string,
): string | null {
  if (webUrl !== null)
    return webUrl.includes(SHA) ? webUrl.replaceAll(SHA, sha) : `${webUrl.replace(/\/+$/, '')}/commit/${sha}`;
  const path = COMMIT_PATHS.find(([host]) => host.test(new URL(url).hostname))?.[1];
  return path === undefined ? null : `${url.replace(/(\.git)?\/*$/, '')}/${path}/${sha}`;
}

/** Where this service shows a version of a dashboard. */
export function ownCommitUrl(dashboardId: string, sha: string): string {
  return `/api/management/v1/dashboards/${dashboardId}/versions/${sha}`;
}
