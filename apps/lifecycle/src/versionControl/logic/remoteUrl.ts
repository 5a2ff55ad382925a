import { parseWebAddress } from '@gatehouse/contract';

/** The parsed URL of a remote. */
export interface RemoteAddress {
  /** The URL in normal form. */
  url: string;
  /** A name, or an IP address without brackets. */
  host: string;
  port: number;
  /** Scheme, host and port: the scope of credentials. */
  origin: string;
}

const DEFAULT_PORTS: Record<string, number> = { 'https:': 443, 'http:': 80 };
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\])$/;
/** Git decodes control characters and passes them to its child processes. */
const ENCODED_CONTROL = /%(?:[01][0-9a-f]|7f)/i;

/**
 * Parses the URL of a remote. Returns the reason when it is invalid, as the end of a sentence that begins
 * with "The address".
 */
export function parseRemoteUrl(text: string): RemoteAddress | string {
  if (/^(?:ssh|git):/i.test(text)) return 'must be an https address: ssh is not supported';
  const url = parseWebAddress(text);
  if (url === 'must be a URL') return 'must be an https address';
  if (typeof url === 'string') return `${url}: they go into username and token`;
  const isPlainLoopback = url.protocol === 'http:' && LOOPBACK.test(url.hostname);
  if (url.protocol !== 'https:' && !isPlainLoopback)
    return 'must be an https address; http is for addresses of this machine alone';
  if (text.includes('?') || text.includes('#')) return 'must have neither a query nor a fragment';
  if (url.pathname === '/') return 'must name a repository';
  if (ENCODED_CONTROL.test(url.pathname)) return 'must not hold encoded control characters';
  const port = url.port === '' ? (DEFAULT_PORTS[url.protocol] ?? 0) : Number(url.port);
  return { url: url.href, host: url.hostname.replaceAll(/^\[|\]$/g, ''), port, origin: url.origin };
}

const SHA = '{sha}';

/**
 * The normal form of a web URL that shows commits; null when it is invalid. `{sha}` may appear anywhere
 * after the host.
 */
export function parseWebUrl(text: string): string | null {
  const url = parseWebAddress(text);
  if (typeof url === 'string' || !['https:', 'http:'].includes(url.protocol)) return null;
  return url.host.includes('{') ? null : url.href.replaceAll('%7Bsha%7D', SHA);
}

/** The paths of commits on well-known hosts, by a pattern of the host name. */
const COMMIT_PATHS: readonly (readonly [RegExp, string])[] = [
  [/(^|\.)github\b/, 'commit'],
  [/(^|\.)gitlab\b/, '-/commit'],
  [/^bitbucket\.org$/, 'commits'],
  [/^codeberg\.org$|(^|\.)(gitea|forgejo)\b/, 'commit'],
];

/** The web URL of a commit of a remote; null when it is unknown. */
export function findWebUrl(
  { url, webUrl }: { url: string; webUrl: string | null },
  sha: string,
): string | null {
  if (webUrl !== null)
    return webUrl.includes(SHA) ? webUrl.replaceAll(SHA, sha) : `${webUrl.replace(/\/+$/, '')}/commit/${sha}`;
  const path = COMMIT_PATHS.find(([host]) => host.test(new URL(url).hostname))?.[1];
  return path === undefined ? null : `${url.replace(/(\.git)?\/*$/, '')}/${path}/${sha}`;
}

/**
 * The URL of a version of a dashboard in this service: absolute if the public address is known, else the path
 * alone.
 */
export function ownCommitUrl(publicUrl: string | undefined, dashboardId: string, sha: string): string {
  return `${publicUrl?.replace(/\/+$/, '') ?? ''}/api/management/v1/dashboards/${dashboardId}/versions/${sha}`;
}
