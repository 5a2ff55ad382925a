import { randomBytes } from 'node:crypto';
import { findFreePort } from '@gatehouse/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spawnServer, type SpawnedServer } from './src/servers.js';
import { OIDC_CLIENT } from './src/sessions/openIdProvider.js';

/** For each address and minute: attempts to sign in, and requests without a token. */
const SIGN_INS = 20;
const REQUESTS = 50;
const FLOOD = 300;
/** A flood may take longer than one minute, in which each limit begins again. */
const MINUTES = 3;

let server: SpawnedServer;
beforeAll(async () => {
  const [port, down] = [await findFreePort(), await findFreePort()];
  server = await spawnServer('standalone', {
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    RATE_LIMIT_TOKEN: String(SIGN_INS),
    RATE_LIMIT: String(REQUESTS),
    LOG_LEVEL: 'warn',
    ...OIDC_CLIENT,
    OIDC_ISSUER: `http://127.0.0.1:${down}`,
    OIDC_MAPPING: JSON.stringify({ organizationId: 'o_none', people: [{ role: 'VIEWER' }] }),
  });
});
afterAll(() => server[Symbol.asyncDispose]());

/** Sends requests of one stranger, each with a cookie of its own, and returns how many had each status. */
async function flood(path: string, init: RequestInit = {}): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  const left = Array.from({ length: FLOOD }).values();
  const work = async () => {
    for (const _ of left) {
      const headers = { cookie: `gatehouse=${randomBytes(32).toString('base64url')}` };
      const response = await fetch(server.baseUrl + path, { redirect: 'manual', headers, ...init });
      await response.arrayBuffer();
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: 20 }, work));
  return statuses;
}

const countLogged = (text: string) => server.errors().split(text).length - 1;

describe('a stranger without a session', () => {
  it('fills no log with responses of a provider that it invents', async () => {
    expect(await flood('/console/session/callback?state=x')).toEqual({ 302: FLOOD });
    await expect.poll(() => countLogged('sign-in failed')).toBeGreaterThanOrEqual(SIGN_INS);
    expect(countLogged('sign-in failed')).toBeLessThanOrEqual(SIGN_INS * MINUTES);
  });

  it('fills no log with logout tokens while the provider is down', async () => {
    const body = new URLSearchParams({ logout_token: 'x' });
    const statuses = await flood('/console/session/back-channel-logout', { method: 'POST', body });
    expect(statuses[429]).toBeGreaterThanOrEqual(FLOOD - SIGN_INS * MINUTES);
    expect(countLogged('logOutByProvider')).toBeLessThanOrEqual(SIGN_INS * MINUTES);
  });

  it('looks up invented cookies as often as other requests without a token', async () => {
    const statuses = await flood('/console/session');
    expect(statuses[200]).toBeGreaterThan(0);
    expect(statuses[429]).toBeGreaterThanOrEqual(FLOOD - REQUESTS * MINUTES);
    expect((await fetch(`${server.baseUrl}/console/session`)).status).toBe(200);
  });
});
