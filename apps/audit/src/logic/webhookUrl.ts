/** Where the requests of a webhook go. */
export interface WebhookTarget {
  /** Without the brackets of an IPv6 address. */
  host: string;
  port: number;
  isSecure: boolean;
}

const PORTS: Record<string, number> = { 'https:': 443, 'http:': 80 };

/** Reads the URL of a webhook. Gives what is wrong with it, in words, when it is none. */
export function parseWebhookUrl(text: string): WebhookTarget | string {
  if (!URL.canParse(text)) return 'must be a URL';
  const { protocol, hostname, port, username, password, hash } = new URL(text);
  const defaultPort = PORTS[protocol];
  if (defaultPort === undefined) return 'must be a URL with https';
  if (username !== '' || password !== '') return 'must not hold a user or a password';
  if (hash !== '') return 'must not hold a fragment';
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return { host, port: port === '' ? defaultPort : Number(port), isSecure: protocol === 'https:' };
}
