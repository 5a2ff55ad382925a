import { parseWebAddress } from '@gatehouse/contract';

/** The target of a webhook's requests. */
export interface WebhookTarget {
  /** In normal form. */
  url: string;
  /** Without the brackets of an IPv6 address. */
  host: string;
  port: number;
  isSecure: boolean;
}

const PORTS: Record<string, number> = { 'https:': 443, 'http:': 80 };

/** Parses the URL of a webhook. Returns the fault as a message when it is invalid. */
export function parseWebhookUrl(text: string): WebhookTarget | string {
  const url = parseWebAddress(text);
  if (typeof url === 'string') return url;
  const defaultPort = PORTS[url.protocol];
  if (defaultPort === undefined) return 'must be a URL with https';
  // An empty fragment too: it is not part of the normal form.
  if (text.includes('#')) return 'must not hold a fragment';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? defaultPort : Number(url.port);
  return { url: url.href, host, port, isSecure: url.protocol === 'https:' };
}

/** The normal form of a stored URL: earlier versions of the platform stored other forms. */
export function normalizeStoredUrl(text: string): string {
  return URL.canParse(text) ? new URL(text).href : text;
}
