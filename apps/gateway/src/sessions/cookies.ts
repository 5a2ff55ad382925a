import type { IncomingMessage } from 'node:http';
import { isLoopback } from './origins.js';

/** 256 random bits in base64url. */
const VALUE = /^[A-Za-z0-9_-]{43}$/;

/** A cookie that a browser sends with requests of the same site only, and no script can read. */
export interface CookieSettings {
  name: string;
  /** `Lax` for a cookie that must arrive with a redirect from another site. */
  sameSite: 'Strict' | 'Lax';
  /** Seconds; without it, the cookie lasts until the browser ends. */
  maxAge?: number;
  pattern: RegExp;
}

export const SESSION_COOKIE: CookieSettings = { name: 'gatehouse', sameSite: 'Strict', pattern: VALUE };

/**
 * Reads and writes cookies of the console.
 *
 * The name begins with `__Host-`, so that a browser takes the cookie from this very host alone, over HTTPS:
 * no other host of the domain can set one. Browsers refuse that name, and `Secure`, on plain HTTP. A browser
 * on the same machine, which `npm start` serves, therefore gets a cookie with neither.
 */
export class Cookies {
  readonly #publicUrl: string | undefined;

  constructor(publicUrl: string | undefined) {
    this.#publicUrl = publicUrl;
  }

  /** The value of a cookie; null if it is missing, malformed, or given twice. */
  read(request: IncomingMessage, { name, pattern }: CookieSettings): string | null {
    const wanted = this.#nameOf(request, name);
    const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const values = pairs.filter((pair) => pair.startsWith(`${wanted}=`));
    // Two cookies of one name come from two paths or hosts: one of them was planted.
    if (values.length !== 1) return null;
    const value = values[0]?.slice(wanted.length + 1) ?? '';
    return pattern.test(value) ? value : null;
  }

  /** The `Set-Cookie` header that stores a value. */
  write(request: IncomingMessage, settings: CookieSettings, value: string): string {
    const { name, sameSite, maxAge } = settings;
    const parts = [`${this.#nameOf(request, name)}=${value}`, 'Path=/', 'HttpOnly', `SameSite=${sameSite}`];
    if (this.#isSecure(request)) parts.push('Secure');
    if (maxAge !== undefined) parts.push(`Max-Age=${maxAge}`);
    return parts.join('; ');
  }

  /** The `Set-Cookie` header that removes a cookie. */
  clear(request: IncomingMessage, settings: CookieSettings): string {
    return this.write(request, { ...settings, maxAge: 0 }, '');
  }

  #nameOf(request: IncomingMessage, name: string): string {
    return this.#isSecure(request) ? `__Host-${name}` : name;
  }

  /** A proxy with TLS may call the gateway by a loopback name, so that the public address decides first. */
  #isSecure({ headers }: IncomingMessage): boolean {
    return this.#publicUrl?.startsWith('https:') === true || !isLoopback(headers.host);
  }
}
