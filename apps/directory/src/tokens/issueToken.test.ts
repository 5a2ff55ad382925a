import { createHmac, generateKeyPairSync } from 'node:crypto';
import type { AppError } from '@gatehouse/contract';
import { type OrgUserPrincipal, type TenantUserPrincipal } from '@gatehouse/contract';
import { newKey, findAppError } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { claimsIn, startPlatform, type TokenInput } from '../testing/platform.js';
import { populate, type Population } from '../testing/population.js';

const { platform } = await usePlatform(startPlatform);
const { tokens, tenants, tenantUsers, orgUsers } = platform.directory;

let acme: Population;
beforeEach(async () => {
  acme = await populate(platform);
});

const issue = async (request: TokenInput) =>
  tokens.issue.mutate(request, { context: await platform.asSystem });
/** The error of a request that must be rejected. */
async function errorOf(request: TokenInput): Promise<AppError> {
  const outcome = findAppError(await issue(request).catch((error: unknown) => error));
  if (outcome) return outcome;
  throw new Error('The request was not rejected');
}
const fieldsOf = async (request: TokenInput) => {
  const { code, fieldErrors = [] } = await errorOf(request);
  expect(code).toBe('INVALID_REQUEST');
  return fieldErrors.map((each) => each.field);
};

/** Verifies like the gateway: one algorithm, this issuer, this audience, the published keys. */
async function verify(accessToken: string) {
  const { keys } = await tokens.keys.query({}, { context: await platform.asSystem });
  return jwtVerify(accessToken, createLocalJWKSet({ keys }), {
    algorithms: ['EdDSA'],
    issuer: 'gatehouse',
    audience: 'gatehouse-api',
    typ: 'JWT',
  });
}

describe('an access token', () => {
  it('for a project has exactly the claims of the contract, and the published keys verify it', async () => {
    const { accessToken, expiresAt } = await issue(acme.credentials);
    const { payload, protectedHeader } = await verify(accessToken);
    const { projectId } = acme.credentials;
    expect(protectedHeader).toEqual({ alg: 'EdDSA', typ: 'JWT', kid: expect.any(String) as string });
    expect(payload).toEqual({
      iss: 'gatehouse',
      aud: 'gatehouse-api',
      sub: projectId,
      iat: expect.any(Number) as number,
      exp: (payload.iat ?? 0) + 1800,
      jti: expect.any(String) as string,
      type: 'project',
      projectId,
      project_id: projectId,
      organizationId: acme.organizationId,
    });
    expect(expiresAt).toBe(new Date((payload.exp ?? 0) * 1000).toISOString());
  });

  it('for an org user has the user key as subject, and neither role nor status', async () => {
    const { accessToken } = await issue({
      ...acme.credentials,
      orgUserId: acme.admin.userId,
      tokenExpiry: 60,
    });
    const claims = claimsIn(accessToken);
    expect(claims).toMatchObject({ sub: acme.admin.userKey, orgUserId: acme.admin.userId });
    expect(claims.exp - claims.iat).toBe(60);
    expect(JSON.stringify(claims)).not.toMatch(/ADMIN|isActive|role/);
  });

  it('for a tenant user names the user and the tenant, by id or by e-mail in the request', async () => {
    const { userId, userKey, email, tenantId } = acme.principals.northViewer;
    const expected = { sub: userKey, tenantUserId: userId, tenantId };
    const requests: TokenInput[] = [
      { endUserId: userId },
      { endUserEmail: email.toUpperCase(), tenantId },
      { endUserEmail: email, tenantName: 'North' },
    ];
    for (const identity of requests) {
      const { accessToken } = await issue({ ...acme.credentials, ...identity });
      expect(claimsIn(accessToken)).toMatchObject(expected);
      expect(claimsIn(accessToken)).not.toHaveProperty('orgUserId');
    }
  });

  it('for a dashboard names its project, with the dashboard as subject when no user is named', async () => {
    const { dashboardId } = acme.dashboard;
    const { projectId } = acme.credentials;
    const anonymous = claimsIn((await issue(acme.dashboard)).accessToken);
    expect(anonymous).toMatchObject({ type: 'dashboard', sub: dashboardId, dashboardId, projectId });
    const named = claimsIn(
      (await issue({ ...acme.dashboard, projectId, orgUserId: acme.admin.userId })).accessToken,
    );
    expect(named).toMatchObject({ type: 'dashboard', sub: acme.admin.userKey, dashboardId });
  });

  it('includes the requested grants', async () => {
    const grants = {
      semanticDomainAccess: { mode: 'none' as const },
      securityParams: { region: 'north', ids: [1, 2] },
      policies: { sls: { schema: 'public' } },
    };
    expect(claimsIn((await issue({ ...acme.credentials, ...grants })).accessToken)).toMatchObject(grants);
  });

  it('shows the domains that the token which got the secret of the dashboard sees, or none', async () => {
    const { projectId } = acme.credentials;
    const { organizationId } = acme;
    const domainAccess = { mode: 'include' as const, domains: ['sales'] };
    const limited = platform.access.addDashboard({ projectId, organizationId, domainAccess });
    const accessOf = async (request: object) =>
      claimsIn((await issue({ ...limited, ...request })).accessToken).semanticDomainAccess;
    expect(await accessOf({})).toEqual(domainAccess);
    expect(await accessOf({ semanticDomainAccess: { mode: 'all' } })).toEqual(domainAccess);
    expect(await accessOf({ semanticDomainAccess: { mode: 'none' } })).toEqual({ mode: 'none' });
    for (const domains of [['sales'], ['unknown']]) {
      const requested = { ...limited, semanticDomainAccess: { mode: 'exclude' as const, domains } };
      expect(await fieldsOf(requested)).toEqual(['semanticDomainAccess.domains']);
    }
  });

  it('always fits into a header', async () => {
    const identity = { endUserEmail: 'new@north.test', tenantName: 'North', autoCreateEndUser: true };
    const ofSize = (size: number) => ({
      ...acme.credentials,
      ...identity,
      securityParams: { x: 'y'.repeat(size) },
    });
    const before = await platform.snapshot();
    expect(await fieldsOf(ofSize(8000))).toEqual(['securityParams']);
    expect(await platform.snapshot()).toEqual(before);
    const { accessToken } = await issue(ofSize(7990));
    expect(accessToken.length).toBeLessThan(12_000);
  });

  it('has a unique id', async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => claimsIn((await issue(acme.credentials)).accessToken).jti),
    );
    expect(new Set(ids).size).toBe(3);
  });
});

describe('wrong credentials', () => {
  it('get the same response for every cause', async () => {
    const { projectId, projectSecret } = acme.credentials;
    const { dashboardId, dashboardSecret } = acme.dashboard;
    const elsewhere = await populate(platform);
    const before = await platform.snapshot();
    const requests: TokenInput[] = [
      { projectId, projectSecret: 'wrong' },
      { projectId, projectSecret: `${projectSecret}x` },
      { projectId: 'p_unknown', projectSecret },
      { projectId: 'p_unknown', projectSecret: 'wrong' },
      { projectId, projectSecret: elsewhere.credentials.projectSecret },
      { projectId: acme.organizationId, projectSecret },
      { dashboardId, dashboardSecret: 'wrong' },
      { dashboardId: 'd_unknown', dashboardSecret },
      { dashboardId, dashboardSecret: elsewhere.dashboard.dashboardSecret },
      { dashboardId, dashboardSecret, projectId: elsewhere.credentials.projectId },
      { dashboardId, dashboardSecret, projectId: 'p_unknown' },
      { dashboardId, dashboardSecret: projectSecret },
      { projectId, projectSecret: 'wrong', orgUserId: 'ou_unknown' },
      { projectId, projectSecret: 'wrong', semanticDomainAccess: { mode: 'include', domains: ['sales'] } },
    ];
    const responses = await Promise.all(requests.map(async (request) => (await errorOf(request)).toWire()));
    expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
    expect(responses[0]).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await platform.snapshot()).toEqual(before);
  });

  it('take as long for an unknown project as for a wrong secret', async () => {
    const { projectId } = acme.credentials;
    const timeOf = async (request: TokenInput) => {
      const startedAt = performance.now();
      await errorOf(request);
      return performance.now() - startedAt;
    };
    const times = { wrong: [] as number[], unknown: [] as number[] };
    for (let round = 0; round < 150; round += 1) {
      times.wrong.push(await timeOf({ projectId, projectSecret: 'wrong' }));
      times.unknown.push(await timeOf({ projectId: `p_${newKey()}`, projectSecret: 'wrong' }));
    }
    const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length / 2] ?? 0;
    // If one of them skipped work such as a key derivation, the times would differ by a multiple.
    expect(median(times.wrong) / median(times.unknown)).toBeGreaterThan(0.5);
    expect(median(times.wrong) / median(times.unknown)).toBeLessThan(2);
  });

  it('include the former secret after a rotation', async () => {
    const { projects } = platform.directory;
    const { projectId: id, projectSecret } = acme.credentials;
    const { project } = await projects.rotateSecret.mutate({ id }, { context: acme.asAdmin });
    expect((await errorOf(acme.credentials)).code).toBe('UNAUTHENTICATED');
    expect(project.secret).not.toBe(projectSecret);
    await issue({ projectId: id, projectSecret: project.secret });
  });
});

describe('a check of a secret', () => {
  it('accepts and rejects like a token request, and issues no token', async () => {
    const request = {
      ...acme.credentials,
      endUserEmail: 'checked@north.test',
      tenantName: 'North',
      autoCreateEndUser: true,
    };
    const before = await platform.snapshot();
    expect(await tokens.checkSecret.query(request, { context: await platform.asSystem })).toEqual({});
    const wrong = { ...acme.credentials, projectSecret: 'wrong' };
    const checked = await tokens.checkSecret
      .query(wrong, { context: await platform.asSystem })
      .catch((error: unknown) => error);
    expect(checked).toMatchObject({ cause: { ...(await errorOf(wrong)).toWire() } });
    expect(await platform.snapshot()).toEqual(before);
  });
});

describe('an invalid token request', () => {
  const secret = { projectSecret: 'wrong' };

  it('is rejected with its fields before the secret is checked', async () => {
    const cases: [TokenInput, string[]][] = [
      [{}, ['projectId', 'projectSecret']],
      [{ projectId: 'p_1' }, ['projectSecret']],
      [{ type: 'dashboard' }, ['dashboardId', 'dashboardSecret']],
      [{ dashboardId: 'd_1' }, ['dashboardSecret']],
      [
        { type: 'project', dashboardId: 'd_1', dashboardSecret: 'x' },
        ['projectId', 'projectSecret', 'dashboardId', 'dashboardSecret'],
      ],
      [{ dashboardId: 'd_1', dashboardSecret: 'x', ...secret }, ['projectSecret']],
      [{ projectId: 'p_1', ...secret, orgUserId: 'ou_1', endUserId: 'tu_1' }, ['endUserId']],
      [{ projectId: 'p_1', ...secret, endUserId: 'tu_1', tenantId: 't_1' }, ['tenantId']],
      [{ projectId: 'p_1', ...secret, tenantName: 'North' }, ['tenantName']],
      [{ projectId: 'p_1', ...secret, endUserEmail: 'a@b.test' }, ['tenantId']],
      [
        { projectId: 'p_1', ...secret, endUserEmail: 'a@b.test', tenantId: 't', tenantName: 'T' },
        ['tenantName'],
      ],
      [{ projectId: 'p_1', ...secret, autoCreateEndUser: true }, ['autoCreateEndUser']],
      [{ projectId: 'p_1', ...secret, role: 'VIEWER', displayName: 'V' }, ['role', 'displayName']],
      [
        {
          projectId: 'p_1',
          ...secret,
          endUserEmail: 'a@b.test',
          tenantId: 't',
          autoCreateEndUser: false,
          role: 'VIEWER',
        },
        ['role'],
      ],
      [{ projectId: 'p_1', ...secret, tokenExpiry: 59 }, ['tokenExpiry']],
      [{ projectId: 'p_1', ...secret, tokenExpiry: 86_401 }, ['tokenExpiry']],
    ];
    for (const [request, fields] of cases)
      expect([request, await fieldsOf(request)]).toEqual([request, fields]);
  });

  it('is rejected for an unknown user or tenant, if the secret is correct', async () => {
    const { email } = acme.principals.northViewer;
    const elsewhere = await populate(platform);
    const cases: [TokenInput, string][] = [
      [{ orgUserId: 'ou_unknown' }, 'orgUserId'],
      [{ orgUserId: elsewhere.admin.userId }, 'orgUserId'],
      [{ orgUserId: acme.principals.northViewer.userId }, 'orgUserId'],
      [{ endUserId: 'tu_unknown' }, 'endUserId'],
      [{ endUserId: acme.admin.userId }, 'endUserId'],
      [{ endUserId: elsewhere.principals.northViewer.userId }, 'endUserId'],
      [{ endUserEmail: email, tenantId: 't_unknown' }, 'tenantId'],
      [{ endUserEmail: email, tenantId: elsewhere.north.id }, 'tenantId'],
      [{ endUserEmail: email, tenantName: 'Unknown' }, 'tenantName'],
      [{ endUserEmail: email, tenantId: acme.south.id }, 'endUserEmail'],
      [{ endUserEmail: email, tenantName: 'Nowhere', autoCreateEndUser: true }, 'tenantName'],
    ];
    const before = await platform.snapshot();
    for (const [identity, field] of cases) {
      expect([identity, await fieldsOf({ ...acme.credentials, ...identity })]).toEqual([identity, [field]]);
    }
    expect(await platform.snapshot()).toEqual(before);
  });

  it.each(['include', 'exclude'] as const)(
    'is rejected for unknown semantic domains to %s, and all of them are listed',
    async (mode) => {
      platform.semantics.setDomains(acme.credentials.projectId, ['sales', 'dom_2']);
      platform.semantics.setDomains('p_other', ['stock', 'dom_1']);
      const semanticDomainAccess = { mode, domains: ['stock', 'sales', 'dom_1', 'dom_2'] };
      const { fieldErrors } = await errorOf({ ...acme.credentials, semanticDomainAccess });
      expect(fieldErrors).toEqual([
        {
          field: 'semanticDomainAccess.domains',
          message: 'unknown semantic domains: stock, dom_1',
          code: 'reference',
        },
      ]);
      const known = { mode, domains: ['sales', 'dom_2'] };
      const principal = await platform.login({ ...acme.credentials, semanticDomainAccess: known });
      expect(principal.semanticDomainAccess).toEqual(known);
    },
  );

  it('is rejected for a deactivated user', async () => {
    const { userId: id } = acme.principals.northViewer;
    await tenantUsers.update.mutate({ id, isActive: false }, { context: acme.asAdmin });
    expect((await errorOf({ ...acme.credentials, endUserId: id })).code).toBe('UNAUTHENTICATED');
    const { userId } = acme.principals.author;
    await orgUsers.update.mutate({ id: userId, isActive: false }, { context: acme.asAdmin });
    expect((await errorOf({ ...acme.dashboard, orgUserId: userId })).code).toBe('UNAUTHENTICATED');
  });
});

describe('a user that is created on first use', () => {
  const email = 'new@north.test';

  it('is a VIEWER named after the e-mail by default, and is reused later', async () => {
    const request = {
      ...acme.credentials,
      endUserEmail: email,
      tenantId: acme.north.id,
      autoCreateEndUser: true,
    };
    const first = await platform.login<TenantUserPrincipal>(request);
    expect(first).toMatchObject({ kind: 'tenantUser', role: 'VIEWER', email, tenantId: acme.north.id });
    const again = await platform.login<TenantUserPrincipal>({
      ...request,
      role: 'POWER_USER',
      displayName: 'X',
    });
    expect(again).toMatchObject({ userKey: first.userKey, role: 'VIEWER' });
    const { user } = await tenantUsers.get.query({ id: first.userId }, { context: acme.asAdmin });
    expect(user).toMatchObject({ name: 'new', isActive: true });
    const [event] = await platform.eventsOf('management.tenant_user.created.v1', first.userId);
    expect(event).toMatchObject({
      actorid: acme.credentials.projectId,
      projectid: acme.credentials.projectId,
    });

    const other = await platform.login<TenantUserPrincipal>({
      ...acme.credentials,
      endUserEmail: 'boss@north.test',
      tenantName: 'North',
      autoCreateEndUser: true,
      role: 'POWER_USER',
      displayName: 'The Boss',
    });
    expect(other.role).toBe('POWER_USER');
    expect((await tenantUsers.get.query({ id: other.userId }, { context: acme.asAdmin })).user.name).toBe(
      'The Boss',
    );
  });

  it('is created once by concurrent requests', async () => {
    const request = { ...acme.dashboard, endUserEmail: email, tenantName: 'North', autoCreateEndUser: true };
    const bearers = await Promise.all(
      Array.from({ length: 12 }, () => platform.login<TenantUserPrincipal>(request)),
    );
    expect(new Set(bearers.map((bearer) => bearer.userKey)).size).toBe(1);
    const { total } = await tenantUsers.list.query({ search: email }, { context: acme.asAdmin });
    expect(total).toBe(1);
  });

  it('is a VIEWER if a dashboard secret creates it, because its owner may be any user', async () => {
    const request = { ...acme.dashboard, endUserEmail: email, tenantName: 'North', autoCreateEndUser: true };
    expect(await fieldsOf({ ...request, role: 'POWER_USER' })).toEqual(['role']);
    expect((await platform.login<TenantUserPrincipal>({ ...request, role: 'VIEWER' })).role).toBe('VIEWER');
  });

  it('is not created in a missing tenant or with a wrong secret', async () => {
    const before = await platform.snapshot();
    const request = { endUserEmail: email, tenantId: 't_none', autoCreateEndUser: true };
    expect(await fieldsOf({ ...acme.credentials, ...request })).toEqual(['tenantId']);
    const wrong = { ...acme.credentials, projectSecret: 'wrong', ...request, tenantId: acme.north.id };
    expect((await errorOf(wrong)).code).toBe('UNAUTHENTICATED');
    expect(await platform.snapshot()).toEqual(before);
  });
});

describe('a dashboard secret that a tenant user got', () => {
  const secretIn = (tenantKey: string) =>
    platform.access.addDashboard({
      organizationId: acme.organizationId,
      projectId: acme.credentials.projectId,
      tenantKey,
    });

  /** Each request for a user outside of South, and the same for one that does not exist. */
  const requestsOutside = () => {
    const { admin, northViewer } = acme.principals;
    const byEmail = { endUserEmail: northViewer.email };
    const created = { endUserEmail: 'new@north.test', autoCreateEndUser: true };
    return [
      [{ orgUserId: admin.userId }, { orgUserId: 'ou_none' }],
      [{ endUserId: northViewer.userId }, { endUserId: 'tu_none' }],
      [
        { ...byEmail, tenantId: acme.north.id },
        { ...byEmail, tenantId: 't_none' },
      ],
      [
        { ...byEmail, tenantName: 'North' },
        { ...byEmail, tenantName: 'None' },
      ],
      [
        { ...created, tenantId: acme.north.id },
        { ...created, tenantId: 't_none' },
      ],
    ] as const;
  };

  it('gets the same answer for an org user or another tenant as for none', async () => {
    const secret = secretIn(acme.principals.southPowerUser.tenantKey);
    const before = await platform.snapshot();
    const answerTo = async (request: object) => {
      const { code, fieldErrors } = await errorOf({ ...secret, ...request });
      const names = Object.values(request).map(String);
      const hide = (text: string) => names.reduce((hidden, name) => hidden.replace(name, '…'), text);
      return { code, faults: fieldErrors?.map(({ field, message }) => ({ field, message: hide(message) })) };
    };
    for (const [request, absent] of requestsOutside()) {
      const answer = await answerTo(request);
      expect(answer.code).toBe('INVALID_REQUEST');
      expect(answer).toEqual(await answerTo(absent));
    }
    expect(await platform.snapshot()).toEqual(before);
  });

  it('issues tokens for the users of its tenant, and anonymous ones', async () => {
    const secret = secretIn(acme.principals.northPowerUser.tenantKey);
    for (const [request] of requestsOutside().slice(1))
      expect(await platform.login({ ...secret, ...request })).toMatchObject({ tenantId: acme.north.id });
    expect(await platform.login(secret)).toMatchObject({ dashboardId: secret.dashboardId });
  });
});

describe('a forged token', () => {
  it('does not verify', async () => {
    const { accessToken } = await issue({ ...acme.credentials, orgUserId: acme.principals.viewer.userId });
    const claims = claimsIn(accessToken);
    const { kid = '' } = decodeProtectedHeader(accessToken);
    const { keys } = await tokens.keys.query({}, { context: await platform.asSystem });
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const promoted = encode({ ...claims, sub: acme.admin.userKey, orgUserId: acme.admin.userId });
    const [header = '', , signature = ''] = accessToken.split('.');

    const none = `${encode({ alg: 'none', typ: 'JWT', kid })}.${promoted}.`;
    const head = encode({ alg: 'HS256', typ: 'JWT', kid });
    const hmac = createHmac('sha256', keys[0]?.x ?? '')
      .update(`${head}.${promoted}`)
      .digest('base64url');
    const foreignKey = generateKeyPairSync('ed25519').privateKey;
    const foreign = await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'EdDSA', typ: 'JWT', kid })
      .sign(foreignKey);
    for (const forged of [
      none,
      `${head}.${promoted}.${hmac}`,
      `${header}.${promoted}.${signature}`,
      foreign,
    ]) {
      await expect(verify(forged)).rejects.toMatchObject({ code: expect.stringMatching(/^ERR_J/) as string });
    }
    await verify(accessToken);
  });
});

describe('invalidating a token', () => {
  it('revokes it at once, is idempotent, and publishes an event without the token', async () => {
    const { accessToken } = await issue({ ...acme.credentials, orgUserId: acme.admin.userId });
    const claims = claimsIn(accessToken);
    const principal = (await platform.resolve(claims)) as OrgUserPrincipal;
    const origin = await platform.originOf(principal);
    await tokens.invalidate.mutate({}, { context: origin });
    expect(await platform.resolve(claims)).toBeNull();
    await tokens.invalidate.mutate({}, { context: origin });
    const events = await platform.eventsOf('management.token.revoked.v1', claims.jti);
    expect(events).toHaveLength(1);
    expect(events[0]?.data).toEqual({
      tokenId: claims.jti,
      expiresAt: new Date(claims.exp * 1000).toISOString(),
    });
  });

  it('keeps other tokens of the same user valid, and works for a dashboard token', async () => {
    const { dashboardAdmin, admin } = acme.principals;
    await tokens.invalidate.mutate({}, { context: await platform.originOf(dashboardAdmin) });
    const { accessToken } = await issue({ ...acme.dashboard, orgUserId: admin.userId });
    expect(await platform.resolve(claimsIn(accessToken))).not.toBeNull();
  });
});

describe('signing keys', () => {
  it('are rotated without downtime: tokens of both keys verify', async () => {
    const former = await issue(acme.credentials);
    const { kid } = await tokens.rotateKey.mutate({}, { context: await platform.asSystem });
    const latter = await issue(acme.credentials);
    expect(decodeProtectedHeader(latter.accessToken).kid).toBe(kid);
    expect(decodeProtectedHeader(former.accessToken).kid).not.toBe(kid);
    await verify(former.accessToken);
    await verify(latter.accessToken);
    await platform.eventsOf('management.signing_key.rotated.v1', kid);
  });

  it('have exactly one active key after concurrent rotations', async () => {
    const system = await platform.asSystem;
    const kids = await Promise.all(
      Array.from({ length: 6 }, () => tokens.rotateKey.mutate({}, { context: system })),
    );
    const active = await platform.database.collection('signingKeys').find({ isActive: true }).toArray();
    expect(active).toHaveLength(1);
    const { accessToken } = await issue(acme.credentials);
    const { kid } = decodeProtectedHeader(accessToken);
    expect(kids.map((each) => each.kid)).toContain(kid);
    await verify(accessToken);
  });

  it('are neither published nor stored with their private part in plain text', async () => {
    await issue(acme.credentials);
    const { keys } = await tokens.keys.query({}, { context: await platform.asSystem });
    for (const key of keys)
      expect(Object.keys(key).toSorted()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
    const stored = JSON.stringify(await platform.database.collection('signingKeys').find().toArray());
    expect(stored).not.toContain('"d"');
    expect(stored).not.toContain('\\"d\\"');
  });
});

describe('project secrets', () => {
  it('appear in no event and no document', async () => {
    const { project } = await platform.directory.projects.create.mutate(
      { name: 'Secretive' },
      { context: acme.asAdmin },
    );
    const rotated = await platform.directory.projects.rotateSecret.mutate(
      { id: project.id },
      { context: acme.asAdmin },
    );
    await platform.eventsOf('management.project_secret.rotated.v1', project.id);
    await tenants.list.query({}, { context: acme.asAdmin });
    const everything = JSON.stringify([platform.events, await platform.snapshot()]);
    for (const secret of [project.secret, rotated.project.secret]) expect(everything).not.toContain(secret);
  });
});
