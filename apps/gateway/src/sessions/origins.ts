import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { AppError } from '@gatehouse/contract';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;

/** Whether a `Host` header names the machine of the browser. */
export function isLoopback(host: string | undefined): boolean {
  return LOOPBACK.test(host ?? '');
}

const changesNothing = (method: string | undefined) => method === 'GET' || method === 'HEAD';

function isOwnOrigin(origin: string, host: string | undefined, publicUrl: string | undefined): boolean {
  if (!URL.canParse(origin)) return false;
  if (publicUrl !== undefined && origin === new URL(publicUrl).origin) return true;
  // Behind the public address, no page of another address may use a session.
  if (publicUrl !== undefined && !isLoopback(host)) return false;
  return new URL(origin).host === host?.toLowerCase();
}

/**
 * Throws CSRF_REJECTED for a request that comes from a page of another origin, as far as the browser states
 * where it comes from: by `Sec-Fetch-Site`, and by `Origin`. A change must state it.
 */
export function requireSameOrigin({ method, headers }: IncomingMessage, publicUrl: string | undefined): void {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  const isRead = changesNothing(method);
  // `none`: the person has entered the address.
  const isFromHere = site === undefined || site === 'same-origin' || (isRead && site === 'none');
  const isStated = isRead || site !== undefined || origin !== undefined;
  const isOwn = origin === undefined || isOwnOrigin(origin, host, publicUrl);
  if (!isFromHere || !isStated || !isOwn) throw new AppError('CSRF_REJECTED');
}

/** The CSRF token of a session. Only a page of this origin can read it: see `GET /console/session`. */
export function csrfTokenOf(cookie: string): string {
  return createHmac('sha256', cookie).update('gatehouse csrf token').digest('base64url');
}

/** Throws CSRF_REJECTED for a request of a session that its own page has not sent. */
export function requireCsrfToken(
  request: IncomingMessage,
  cookie: string,
  publicUrl: string | undefined,
): void {
  requireSameOrigin(request, publicUrl);
  if (changesNothing(request.method)) return;
  const given = Buffer.from(String(request.headers['x-csrf-token'] ?? ''));
  const expected = Buffer.from(csrfTokenOf(cookie));
  if (given.length !== expected.length || !timingSafeEqual(given, expected))
    throw new AppError('CSRF_REJECTED');
}
