import { createHmac } from 'node:crypto';
import { newSecret } from '@gatehouse/service';
import type { SignInChecks } from '../oidc/provider.js';
import type { CookieSettings } from './cookies.js';

/** How long a person may take at the provider. */
const LIFETIME_SECONDS = 600;
/** The characters of the path to which a sign-in returns. */
const RETURN_TO_MAX = 1000;
const HOME = '/console/';

/**
 * The cookie of a browser that has started a sign-in. It arrives with the redirect of the provider, which is
 * another site, so that it is not `Strict`.
 */
export const ATTEMPT_COOKIE: CookieSettings = {
  name: 'gatehouse-sign-in',
  sameSite: 'Lax',
  maxAge: LIFETIME_SECONDS,
  pattern: /^[\w-]{43}\.\d{1,12}\.[\w-]{1,4000}(?:\.[\w-]{43})?$/,
};

/** A sign-in that a browser has started. */
export interface Attempt {
  checks: SignInChecks;
  returnTo: string;
  /**
   * The hash of the browser's session cookie at the start; null without one. Browsers do not send that cookie
   * with the redirect of the provider.
   */
  formerCookieHash: string | null;
}

/**
 * Derives what binds the response to the browser from the secret in its cookie, its age and its target: all
 * replicas of the gateway can, without a store that strangers could fill. A changed cookie has another state.
 */
function checksOf(cookie: string): SignInChecks {
  const derive = (purpose: string) => createHmac('sha256', cookie).update(purpose).digest('base64url');
  return { state: derive('state'), nonce: derive('nonce'), codeVerifier: derive('code verifier') };
}

/** Starts a sign-in. Returns the value of the cookie, and what to send to the provider. */
export function startAttempt(
  { returnTo, formerCookieHash }: Omit<Attempt, 'checks'>,
  now: Date,
): { cookie: string; checks: SignInChecks } {
  const startedAt = Math.floor(now.getTime() / 1000);
  const parts = [newSecret(), startedAt, Buffer.from(returnTo).toString('base64url')];
  const cookie = [...parts, ...(formerCookieHash === null ? [] : [formerCookieHash])].join('.');
  return { cookie, checks: checksOf(cookie) };
}

/** The sign-in of a cookie; null if it began too long ago. */
export function readAttempt(cookie: string, now: Date): Attempt | null {
  const [, startedAt, target = '', formerCookieHash = null] = cookie.split('.');
  const ageSeconds = now.getTime() / 1000 - Number(startedAt);
  if (!(ageSeconds >= -1 && ageSeconds <= LIFETIME_SECONDS)) return null;
  const returnTo = toConsolePath(Buffer.from(target, 'base64url').toString('utf8'));
  return returnTo === null ? null : { checks: checksOf(cookie), returnTo, formerCookieHash };
}

const BASE = 'http://console.invalid';

/**
 * A path of the console that a browser may be sent to, as a browser reads it; null for every other target.
 * The operations of the session are no pages.
 */
export function toConsolePath(target: string | null): string | null {
  if (target === null) return HOME;
  if (target.length > RETURN_TO_MAX || !URL.canParse(target, BASE)) return null;
  const { origin, pathname, search, hash } = new URL(target, BASE);
  const isPage = /^\/console(?:\/|$)/.test(pathname) && !/^\/console\/session(?:\/|$)/.test(pathname);
  return origin === BASE && target.startsWith('/console') && isPage ? pathname + search + hash : null;
}
