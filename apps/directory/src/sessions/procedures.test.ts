import { findAppError, hashSecret, newSecret, type CallOrigin } from '@gatehouse/service';
import type { Principal } from '@gatehouse/contract';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeAll, describe, expect, it } from 'vitest';
import { claimsIn, startPlatform, type TokenInput } from '../testing/platform.js';
import { addOrgUser, addTenantUser, populate, type Population } from '../testing/population.js';
import { createSessionSweeps } from './sweeps.js';

const { platform } = await usePlatform(startPlatform);
const { sessions, tokens, orgUsers, projects } = platform.directory;
const CLIENT = { address: '192.0.2.7', userAgent: 'Browser/1' };
const MINUTE_MS = 60_000;

let acme: Population;
let system: { context: CallOrigin };
beforeAll(async () => {
  acme = await populate(platform);
  system = { context: await platform.asSystem };
});

async function codeOf(request: TokenInput): Promise<string> {
  return (await tokens.createSignInCode.mutate({ ...acme.credentials, ...request }, system)).signInCode;
}

/** Signs in with a code, and returns the hash of the cookie. */
async function signIn(request: TokenInput, formerCookieHash?: string): Promise<string> {
  const cookieHash = hashSecret(newSecret());
  const signInCode = await codeOf(request);
  await sessions.createFromCode.mutate({ signInCode, cookieHash, formerCookieHash, ...CLIENT }, system);
  return cookieHash;
}

const read = async (cookieHash: string) => (await sessions.find.query({ cookieHash }, system)).session;
const issue = (cookieHash: string, projectId?: string) =>
  sessions.issueToken.mutate({ cookieHash, projectId }, system);
const outcomeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'done',
    (error: unknown) => findAppError(error)?.code,
  );
const listAs = async (
  principal: Principal,
  query: { userId?: string; limit?: number; cursor?: string } = {},
) => sessions.list.query(query, { context: await platform.originOf(principal) });
const idOf = async (cookieHash: string) => (await read(cookieHash))?.id ?? '';

/** Moves what is stored of a session into the past. */
async function age(cookieHash: string, minutes: number): Promise<void> {
  const collection = platform.database.collection<{ _id: string; idleUntil: Date; endsAt: Date }>('sessions');
  const found = await collection.findOne({ _id: cookieHash });
  if (!found) throw new Error('There is no such session');
  const [idleUntil, endsAt] = [found.idleUntil, found.endsAt].map(
    (moment) => new Date(moment.getTime() - minutes * MINUTE_MS),
  );
  await collection.updateOne({ _id: cookieHash }, { $set: { idleUntil, endsAt } });
}

describe('a session', () => {
  it('is read with its person, its projects and its end', async () => {
    const { userId } = acme.principals.author;
    const found = await read(await signIn({ orgUserId: userId }));
    expect(found).toMatchObject({
      method: 'code',
      user: { id: userId, kind: 'orgUser', role: 'AUTHOR', organizationName: 'Acme' },
      projects: [{ id: acme.credentials.projectId, name: 'Main' }],
    });
    const minutes = (Date.parse(found?.expiresAt ?? '') - Date.parse(found?.createdAt ?? '')) / MINUTE_MS;
    expect(minutes).toBe(60);
  });

  it('names the tenant of a tenant user', async () => {
    const found = await read(await signIn({ endUserId: acme.principals.northViewer.userId }));
    const tenant = { tenantId: acme.north.id, tenantName: 'North' };
    expect(found?.user).toMatchObject({ kind: 'tenantUser', role: 'VIEWER', ...tenant });
  });

  it('issues a token of its person, which ends within two minutes', async () => {
    const { userId } = acme.principals.author;
    const cookieHash = await signIn({ orgUserId: userId });
    const claims = claimsIn((await issue(cookieHash)).accessToken);
    expect(claims.exp - claims.iat).toBe(120);
    expect(await platform.resolve(claims)).toMatchObject({
      kind: 'orgUser',
      userId,
      sessionId: await idOf(cookieHash),
    });
  });

  it('is stored without the value of its cookie, and its restrictions are sealed', async () => {
    const secretValue = newSecret();
    const cookie = newSecret();
    const signInCode = await codeOf({
      orgUserId: acme.principals.author.userId,
      securityParams: { region: secretValue },
    });
    await sessions.createFromCode.mutate({ signInCode, cookieHash: hashSecret(cookie), ...CLIENT }, system);
    const stored = JSON.stringify(await platform.snapshot());
    expect([cookie, secretValue, signInCode].filter((text) => stored.includes(text))).toEqual([]);
    const claims = claimsIn((await issue(hashSecret(cookie))).accessToken);
    expect(claims.securityParams).toEqual({ region: secretValue });
  });

  it('ends the former session of the browser', async () => {
    const orgUserId = acme.principals.author.userId;
    const former = await signIn({ orgUserId });
    const next = await signIn({ orgUserId }, former);
    expect([await read(former), (await read(next))?.user.id]).toEqual([null, orgUserId]);
  });

  it('ends the oldest of a person who has 50', async () => {
    const { userId } = await addOrgUser(platform, acme, 'VIEWER');
    const hashes: string[] = [];
    for (let index = 0; index < 51; index += 1) hashes.push(await signIn({ orgUserId: userId }));
    const live = await Promise.all(hashes.map(async (hash) => (await read(hash)) !== null));
    expect([live[0], live.filter(Boolean).length]).toEqual([false, 50]);
  });
});

describe('the projects of a session', () => {
  const everyProject = async () => {
    const context = await platform.originOf(acme.admin);
    const { project } = await projects.create.mutate({ name: `Other ${newSecret()}` }, { context });
    return project.id;
  };

  it('are all of the organization for an org user', async () => {
    const other = await everyProject();
    const cookieHash = await signIn({ orgUserId: acme.principals.author.userId });
    const claims = claimsIn((await issue(cookieHash, other)).accessToken);
    expect(claims).toMatchObject({ projectId: other, project_id: other });
    expect((await read(cookieHash))?.projects.map(({ id }) => id)).toContain(other);
  });

  it.each<[string, () => TokenInput]>([
    ['a tenant user', () => ({ endUserId: acme.principals.northViewer.userId })],
    [
      'a code with restrictions',
      () => ({ orgUserId: acme.admin.userId, semanticDomainAccess: { mode: 'none' as const } }),
    ],
  ])('are that of the code for %s', async (_who, request) => {
    const other = await everyProject();
    const cookieHash = await signIn(request());
    expect(await outcomeOf(issue(cookieHash, other))).toBe('FORBIDDEN');
    expect((await read(cookieHash))?.projects.map(({ id }) => id)).toEqual([acme.credentials.projectId]);
  });

  it('are none of another organization', async () => {
    const elsewhere = await populate(platform);
    const cookieHash = await signIn({ orgUserId: acme.admin.userId });
    expect(await outcomeOf(issue(cookieHash, elsewhere.credentials.projectId))).toBe('FORBIDDEN');
  });
});

describe('the end of a session', () => {
  const orgUser = () => ({ orgUserId: acme.principals.author.userId });

  it('moves on with its use, and not with a read', async () => {
    const cookieHash = await signIn(orgUser());
    await age(cookieHash, 30);
    const before = (await read(cookieHash))?.expiresAt;
    expect((await read(cookieHash))?.expiresAt).toBe(before);
    await issue(cookieHash);
    expect(Date.parse((await read(cookieHash))?.expiresAt ?? '')).toBeGreaterThan(Date.parse(before ?? ''));
  });

  it('never moves past the absolute limit, with which its last token ends', async () => {
    const cookieHash = await signIn(orgUser());
    await age(cookieHash, 59);
    const collection = platform.database.collection<{ _id: string; endsAt: Date; idleUntil: Date }>(
      'sessions',
    );
    const endsAt = new Date(Date.now() + MINUTE_MS);
    await collection.updateOne({ _id: cookieHash }, { $set: { endsAt, idleUntil: endsAt } });
    const { expiresAt } = await issue(cookieHash);
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(endsAt.getTime());
    expect((await read(cookieHash))?.expiresAt).toBe(endsAt.toISOString());
  });

  it('is final: it is neither found, nor extended, nor listed, and its token has no bearer', async () => {
    const cookieHash = await signIn(orgUser());
    const id = await idOf(cookieHash);
    const { accessToken } = await issue(cookieHash);
    await age(cookieHash, 61);
    expect(await read(cookieHash)).toBeNull();
    expect(await outcomeOf(issue(cookieHash))).toBe('UNAUTHENTICATED');
    expect(await platform.resolve(claimsIn(accessToken))).toBeNull();
    const { sessions: listed } = await listAs(acme.principals.author);
    expect(listed.map((session) => session.id)).not.toContain(id);
    await platform.eventsOf('management.session.created.v1', id);
    const collection = platform.database.collection<{ _id: string }>('sessions');
    const count = () => collection.countDocuments({ _id: cookieHash, 'outbox.0': { $exists: true } });
    await expect.poll(count, { timeout: 60_000 }).toBe(0);
    for (const sweep of createSessionSweeps(platform.dependencies)) await sweep.run(new Date());
    expect(await collection.countDocuments({ _id: cookieHash })).toBe(0);
  });

  it('is reached by signing out, which the audit log shows', async () => {
    const cookieHash = await signIn(orgUser());
    const id = await idOf(cookieHash);
    const { accessToken } = await issue(cookieHash);
    const { organizationId } = await sessions.end.mutate({ cookieHash }, system);
    expect(organizationId).toBe(acme.organizationId);
    expect(await read(cookieHash)).toBeNull();
    expect(await platform.resolve(claimsIn(accessToken))).toBeNull();
    const [event] = await platform.eventsOf('management.session.ended.v1', id);
    expect(event).toMatchObject({ actorid: orgUser().orgUserId, data: { reason: 'signed_out', ...CLIENT } });
    expect(await sessions.end.mutate({ cookieHash }, system)).toEqual({ organizationId: null, method: null });
  });
});

describe('a person who is deactivated', () => {
  it('has no session from that moment, also after a second activation', async () => {
    const { userId } = await addOrgUser(platform, acme, 'AUTHOR');
    const cookieHash = await signIn({ orgUserId: userId });
    const id = await idOf(cookieHash);
    const { accessToken } = await issue(cookieHash);
    const setActive = (isActive: boolean) =>
      orgUsers.update.mutate({ id: userId, isActive }, { context: acme.asAdmin });
    await setActive(false);
    expect(await read(cookieHash)).toBeNull();
    expect(await outcomeOf(issue(cookieHash))).toBe('UNAUTHENTICATED');
    expect(await platform.resolve(claimsIn(accessToken))).toBeNull();
    const [event] = await platform.eventsOf('management.session.ended.v1', id);
    expect(event?.data).toMatchObject({ reason: 'deactivated' });
    await setActive(true);
    expect(await read(cookieHash)).toBeNull();
    expect(await platform.resolve(claimsIn(accessToken))).toBeNull();
  });

  it('keeps no session when deleted', async () => {
    const { userId } = await addTenantUser(platform, acme, { tenantId: acme.north.id });
    const cookieHash = await signIn({ endUserId: userId });
    const id = await idOf(cookieHash);
    await platform.directory.tenantUsers.delete.mutate({ id: userId }, { context: acme.asAdmin });
    expect(await read(cookieHash)).toBeNull();
    const [event] = await platform.eventsOf('management.session.ended.v1', id);
    expect(event?.data).toMatchObject({ reason: 'deleted' });
  });

  it('cannot sign in, and the attempt is in the audit log', async () => {
    const { userId } = await addOrgUser(platform, acme, 'AUTHOR');
    const signInCode = await codeOf({ orgUserId: userId });
    await orgUsers.update.mutate({ id: userId, isActive: false }, { context: acme.asAdmin });
    const cookieHash = hashSecret(newSecret());
    const attempt = sessions.createFromCode.mutate({ signInCode, cookieHash, ...CLIENT }, system);
    expect(await outcomeOf(attempt)).toBe('UNAUTHENTICATED');
    const [event] = await platform.eventsOf('management.sign_in.failed.v1', userId);
    expect(event?.data).toMatchObject({ method: 'code', reason: 'USER_INACTIVE', ...CLIENT });
  });
});

describe('a sign-in', () => {
  it('is in the audit log, with its method, address and browser', async () => {
    const { userId } = acme.principals.northPowerUser;
    const id = await idOf(await signIn({ endUserId: userId }));
    const [event] = await platform.eventsOf('management.session.created.v1', id);
    expect(event).toMatchObject({
      organizationid: acme.organizationId,
      actorid: userId,
      actorkind: 'tenantUser',
    });
    expect(event?.data).toMatchObject({ id, userId, method: 'code', tenantId: acme.north.id, ...CLIENT });
  });

  it('with a code that is used or expired fails, which is in the audit log', async () => {
    const { userId } = await addOrgUser(platform, acme, 'VIEWER');
    const attempt = (signInCode: string) => {
      const cookieHash = hashSecret(newSecret());
      return outcomeOf(sessions.createFromCode.mutate({ signInCode, cookieHash, ...CLIENT }, system));
    };
    const used = await codeOf({ orgUserId: userId });
    expect([await attempt(used), await attempt(used)]).toEqual(['done', 'UNAUTHENTICATED']);
    const expired = await codeOf({ orgUserId: userId });
    const codes = platform.database.collection<{ _id: string }>('signInCodes');
    await codes.updateOne({ _id: hashSecret(expired) }, { $set: { expiresAt: new Date(0) } });
    expect(await attempt(expired)).toBe('UNAUTHENTICATED');
    const events = await platform.eventsOf('management.sign_in.failed.v1', userId, 2);
    expect(events.map(({ data }) => String(data['reason'])).toSorted()).toEqual([
      'CODE_EXPIRED',
      'CODE_USED',
    ]);
  });

  it('with an unknown code fails, and stores nothing', async () => {
    const rejection = await platform.rejectionOf(() =>
      sessions.createFromCode.mutate(
        { signInCode: newSecret(), cookieHash: hashSecret(newSecret()), ...CLIENT },
        system,
      ),
    );
    expect(rejection.code).toBe('UNAUTHENTICATED');
  });

  it('of concurrent ones with a code, exactly one succeeds', async () => {
    const signInCode = await codeOf({ orgUserId: acme.admin.userId });
    const attempts = Array.from({ length: 8 }, () =>
      outcomeOf(
        sessions.createFromCode.mutate(
          { signInCode, cookieHash: hashSecret(newSecret()), ...CLIENT },
          system,
        ),
      ),
    );
    expect((await Promise.all(attempts)).filter((outcome) => outcome === 'done')).toHaveLength(1);
  });
});

describe('the list of sessions', () => {
  let world: Population;
  let ids: Record<
    'admin' | 'author' | 'viewer' | 'northViewer' | 'northPowerUser' | 'southPowerUser',
    string
  >;
  beforeAll(async () => {
    world = await populate(platform);
    const open = async (request: TokenInput) => {
      const { signInCode } = await tokens.createSignInCode.mutate(
        { ...world.credentials, ...request },
        system,
      );
      const cookieHash = hashSecret(newSecret());
      return (await sessions.createFromCode.mutate({ signInCode, cookieHash, ...CLIENT }, system)).id;
    };
    const { admin, author, viewer, northViewer, northPowerUser, southPowerUser } = world.principals;
    ids = {
      admin: await open({ orgUserId: admin.userId }),
      author: await open({ orgUserId: author.userId }),
      viewer: await open({ orgUserId: viewer.userId }),
      northViewer: await open({ endUserId: northViewer.userId }),
      northPowerUser: await open({ endUserId: northPowerUser.userId }),
      southPowerUser: await open({ endUserId: southPowerUser.userId }),
    };
  });

  it.each<[keyof typeof ids, (keyof typeof ids)[]]>([
    ['admin', ['admin', 'author', 'viewer', 'northViewer', 'northPowerUser', 'southPowerUser']],
    ['author', ['author']],
    ['viewer', ['viewer']],
    ['northViewer', ['northViewer']],
    ['northPowerUser', ['northViewer', 'northPowerUser']],
    ['southPowerUser', ['southPowerUser']],
  ])('of %s contains the sessions of %j, and exactly these are revoked', async (name, visible) => {
    const { sessions: listed } = await listAs(world.principals[name]);
    expect(listed.map(({ id }) => id)).toEqual(visible.map((each) => ids[each]));
    const context = await platform.originOf(world.principals[name]);
    const others = (Object.keys(ids) as (keyof typeof ids)[]).filter((each) => !visible.includes(each));
    for (const other of others) {
      const filtered = await listAs(world.principals[name], { userId: world.principals[other].userId });
      expect(filtered.sessions).toEqual([]);
      expect(await outcomeOf(sessions.revoke.mutate({ id: ids[other] }, { context }))).toBe('NOT_FOUND');
    }
  });

  it('comes in parts, without repetition or gap', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const part = await listAs(world.principals.admin, { limit: 2, ...(cursor && { cursor }) });
      expect(part.sessions.length).toBeLessThanOrEqual(2);
      seen.push(...part.sessions.map(({ id }) => id));
      cursor = part.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(seen).toEqual(Object.values(ids));
  });

  it('is of one person if the request names one, and marks the session of the request', async () => {
    const { author, admin } = world.principals;
    expect((await listAs(admin, { userId: author.userId })).sessions.map(({ id }) => id)).toEqual([
      ids.author,
    ]);
    const { sessions: listed } = await listAs({ ...author, sessionId: ids.author });
    expect(listed).toMatchObject([{ id: ids.author, isCurrent: true, method: 'code', ...CLIENT }]);
  });

  it('is for people: neither the project itself nor a dashboard token has sessions', async () => {
    for (const name of ['service', 'anonymous', 'dashboardAdmin'] as const)
      expect(await outcomeOf(listAs(world.principals[name]))).toBe('FORBIDDEN');
  });

  it('shows to no ADMIN of another organization any session', async () => {
    const foreign = await listAs(acme.admin);
    for (const id of Object.values(ids))
      expect(foreign.sessions.map((session) => session.id)).not.toContain(id);
    const revoke = sessions.revoke.mutate({ id: ids.author }, { context: acme.asAdmin });
    expect(await outcomeOf(revoke)).toBe('NOT_FOUND');
  });

  it('loses a session that is revoked, with an entry in the audit log', async () => {
    const { admin, northPowerUser } = world.principals;
    const context = await platform.originOf(northPowerUser);
    await sessions.revoke.mutate({ id: ids.northViewer }, { context });
    expect((await listAs(admin)).sessions.map(({ id }) => id)).not.toContain(ids.northViewer);
    const [event] = await platform.eventsOf('management.session.ended.v1', ids.northViewer);
    expect(event).toMatchObject({ actorid: northPowerUser.userId, data: { reason: 'revoked' } });
    expect(await outcomeOf(sessions.revoke.mutate({ id: ids.northViewer }, { context }))).toBe('NOT_FOUND');
  });
});
