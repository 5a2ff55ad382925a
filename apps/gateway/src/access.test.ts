import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Principal } from '@gatehouse/contract';
import { createIssuerKey, signToken, claimsOf } from './testing/accessTokens.js';
import { ADMIN, startTestGateway, type TestGateway } from './testing/testGateway.js';

const DASHBOARDS = '/api/management/v1/dashboards';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(async () => gateway[Symbol.asyncDispose]());
beforeEach(() => {
  gateway.services.principals.set('u:admin', ADMIN);
  gateway.services.isDirectoryDown = false;
});

let tokens = 0;
/** Returns a token that the gateway has not seen. */
function newToken(changes: Record<string, unknown> = {}): string {
  tokens += 1;
  return gateway.token({ jti: `jti-${tokens}`, ...changes });
}

const as = (token: string) => ({ headers: { Authorization: `Bearer ${token}` } });
const statusOf = async (token: string, path = DASHBOARDS) => (await gateway.send(path, as(token))).status;

describe('a token', () => {
  it('makes the principal of the directory the caller', async () => {
    await gateway.send(DASHBOARDS, as(newToken()));
    expect(gateway.services.lastInput).toMatchObject({ caller: ADMIN });
  });

  it('returns 401 for an unknown bearer', async () => {
    expect(await statusOf(newToken({ sub: 'u:unknown' }))).toBe(401);
  });

  it('for the services is rejected as an access token', async () => {
    const internal = signToken(gateway.key, {
      caller: ADMIN,
      iss: 'gatehouse-gateway',
      aud: 'gatehouse-services',
    });
    expect(await statusOf(internal)).toBe(401);
  });

  it('is ignored in the query and in other headers', async () => {
    const token = newToken();
    expect((await fetch(`${gateway.url}${DASHBOARDS}?access_token=${token}`)).status).toBe(401);
    expect((await fetch(gateway.url + DASHBOARDS, { headers: { 'X-Access-Token': token } })).status).toBe(
      401,
    );
  });

  it('that was valid before is not verified again, and its bearer is not resolved again', async () => {
    const token = newToken();
    await statusOf(token);
    const before = gateway.services.counts.resolve;
    await Promise.all(Array.from({ length: 10 }, () => statusOf(token)));
    expect(gateway.services.counts.resolve).toBe(before);
  });

  it('signed with a new key is accepted immediately after the rotation event', async () => {
    const next = createIssuerKey('k-next');
    gateway.services.keys.push(next);
    await gateway.publish('management.signing_key.rotated.v1', { kid: next.kid });
    expect(await statusOf(signToken(next, claimsOf({ jti: 'next' })))).toBe(200);
  });

  it('signed with a withdrawn key is rejected, although it was valid before', async () => {
    const withdrawn = createIssuerKey('k-withdrawn');
    gateway.services.keys.push(withdrawn);
    await gateway.publish('management.signing_key.rotated.v1', { kid: withdrawn.kid });
    const token = signToken(withdrawn, claimsOf({ jti: 'withdrawn' }));
    expect(await statusOf(token)).toBe(200);
    gateway.services.keys = gateway.services.keys.filter((key) => key !== withdrawn);
    await gateway.publish('management.signing_key.rotated.v1', { kid: 'k1' });
    await expect.poll(() => statusOf(token)).toBe(401);
  });
});

describe('a change of a principal', () => {
  it.each([
    'management.token.revoked.v1',
    'management.org_user.updated.v1',
    'management.org_user.deleted.v1',
    'management.tenant_user.updated.v1',
    'management.tenant_user.deleted.v1',
    'management.group_member.added.v1',
    'management.group_member.removed.v1',
    'management.group.deleted.v1',
    'management.tenant.deleted.v1',
    'management.project_secret.rotated.v1',
  ] as const)('takes effect for the next request after %s', async (type) => {
    const token = newToken();
    expect(await statusOf(token)).toBe(200);
    gateway.services.principals.set('u:admin', null);
    expect(await statusOf(token)).toBe(200);
    await gateway.publish(type);
    expect(await statusOf(token)).toBe(401);
  });

  it('is not assumed after an event about a dashboard', async () => {
    const token = newToken();
    await statusOf(token);
    const before = gateway.services.counts.resolve;
    await gateway.publish('management.dashboard.deleted.v1');
    await statusOf(token);
    expect(gateway.services.counts.resolve).toBe(before);
  });

  it('by the caller itself takes effect for its next request, whatever the response was', async () => {
    const token = newToken();
    await statusOf(token);
    const changed = await gateway.send('/api/management/v1/org-users/ou_admin', {
      method: 'PATCH',
      ...as(token),
      json: { name: 'Ada' },
    });
    expect(changed.status).toBe(409);
    await gateway.send(DASHBOARDS, as(token));
    expect(gateway.services.lastInput).toMatchObject({ caller: { role: 'VIEWER' } });
  });

  it('during a lookup keeps the result from being cached', async () => {
    const token = newToken();
    let release: () => void = () => {};
    const reached = new Promise<void>((resolve) => {
      gateway.services.beforeResolveResponse = () => {
        resolve();
        return new Promise((go) => (release = go));
      };
    });
    const during = statusOf(token);
    await reached;
    gateway.services.beforeResolveResponse = async () => {};
    gateway.services.principals.set('u:admin', null);
    await gateway.publish('management.org_user.deleted.v1');
    expect(await statusOf(token)).toBe(401);
    release();
    expect(await during).toBe(200);
    expect(await statusOf(token)).toBe(401);
  });
});

describe('while the directory is down', () => {
  it('cached callers are served, and others get 503 with Retry-After', async () => {
    const known = newToken();
    await statusOf(known);
    gateway.services.isDirectoryDown = true;
    expect(await statusOf(known)).toBe(200);
    const response = await gateway.send(DASHBOARDS, as(newToken()));
    expect(response.status).toBe(503);
    expect(response.headers.get('Retry-After')).toBe('1');
  });

  it('cached callers expire as usual', async () => {
    const short = await startTestGateway({ PRINCIPAL_CACHE_MS: '50' });
    expect((await short.send(DASHBOARDS)).status).toBe(200);
    short.services.isDirectoryDown = true;
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect((await short.send(DASHBOARDS)).status).toBe(503);
    await short[Symbol.asyncDispose]();
  });
});

describe('a dashboard token', () => {
  const anonymous: Principal = {
    kind: 'anonymous',
    tokenType: 'dashboard',
    tokenId: 'jti-d',
    tokenExpiresAt: 4_000_000_000,
    organizationId: 'o_1',
    projectId: 'p_1',
    dashboardId: 'd_own',
  };
  const send = (path: string, init: RequestInit & { json?: unknown } = {}) => {
    gateway.services.principals.set('d_own', anonymous);
    const token = newToken({ sub: 'd_own', type: 'dashboard', dashboardId: 'd_own', orgUserId: undefined });
    return gateway.send(path, { ...init, ...as(token) });
  };

  it('can read its own dashboard', async () => {
    expect((await send(`${DASHBOARDS}/d_own`)).status).toBe(404);
    expect((await send(`${DASHBOARDS}/d_own/shares`)).status).toBe(404);
  });

  it.each([
    ['GET', `${DASHBOARDS}/d_other`],
    ['GET', `${DASHBOARDS}/%64_own`],
    ['GET', DASHBOARDS],
    ['POST', DASHBOARDS],
    ['POST', `${DASHBOARDS}/d_own/duplicate`],
    ['GET', '/api/management/v1/groups'],
    ['GET', '/api/management/v1/tenant-users'],
    ['GET', '/api/management/v1/visuals/d_own'],
  ])('returns 403 for %s %s', async (method, path) => {
    expect((await send(path, { method })).status).toBe(403);
  });

  it('can be revoked', async () => {
    expect((await send('/api/v1/invalidate-token', { method: 'POST' })).status).toBe(200);
  });
});

describe('a route without a token', () => {
  it('needs no token and ignores one', async () => {
    for (const token of ['nonsense', newToken()]) {
      const response = await gateway.send('/.well-known/jwks.json', as(token));
      expect(await response.json()).toMatchObject({ keys: [{ kid: 'k1', alg: 'EdDSA' }, {}] });
    }
  });
});
