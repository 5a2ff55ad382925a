import type { MappedPerson } from '@gatehouse/contract';
import { hashSecret, newKey, newSecret, type CallOrigin } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { claimsIn, startPlatform } from '../testing/platform.js';
import { addOrgUser, populate, type Population } from '../testing/population.js';
import { IdentityStore } from './store.js';

const { platform } = await usePlatform(startPlatform);
const { sessions, orgUsers, tenantUsers, groups } = platform.directory;
const ISSUER = 'https://provider.example';
const CLIENT = { address: '192.0.2.7', userAgent: 'Browser/1' };

let acme: Population;
let system: { context: CallOrigin };
beforeEach(async () => {
  acme = await populate(platform);
  system = { context: await platform.asSystem };
});

interface Attempt {
  subject?: string;
  issuer?: string;
  email?: string | null;
  isEmailVerified?: boolean;
  name?: string | null;
  matchesEmail?: boolean;
  providerSession?: string;
  person?: Partial<MappedPerson>;
}

const mapped = (changes: Partial<MappedPerson> = {}): MappedPerson => ({
  organizationId: acme.organizationId,
  tenantId: null,
  role: null,
  createsUser: false,
  projectIds: null,
  groups: [],
  ...changes,
});

async function signIn({ person, ...attempt }: Attempt) {
  const cookieHash = hashSecret(newSecret());
  const outcome = await sessions.createFromProvider.mutate(
    {
      issuer: ISSUER,
      subject: `s-${newKey()}`,
      email: null,
      isEmailVerified: false,
      name: null,
      matchesEmail: false,
      cookieHash,
      ...CLIENT,
      ...attempt,
      person: mapped(person),
    },
    system,
  );
  const reason = outcome.outcome === 'rejected' ? outcome.reason : null;
  const { session } = await sessions.find.query({ cookieHash }, system);
  return { reason, session, cookieHash };
}

const emailOf = async (id: string) =>
  (await orgUsers.get.query({ id }, { context: acme.asAdmin })).user.email;
const subjectOf = () => `s-${newKey()}`;

describe('a person at a provider', () => {
  it('is found by issuer and subject alone, once linked: a changed e-mail changes nothing', async () => {
    const subject = subjectOf();
    const { userId } = acme.principals.author;
    const first = { subject, email: await emailOf(userId), isEmailVerified: true, matchesEmail: true };
    expect((await signIn(first)).session?.user.id).toBe(userId);
    for (const email of [null, 'other@acme.test', await emailOf(acme.admin.userId)])
      expect(
        (await signIn({ subject, email, isEmailVerified: true, matchesEmail: true })).session?.user.id,
      ).toBe(userId);
  });

  it('is another one at another issuer, and with another subject', async () => {
    const { userId } = acme.principals.author;
    const email = await emailOf(userId);
    const known = { subject: 's-1', email, isEmailVerified: true, matchesEmail: true };
    await signIn(known);
    const elsewhere = { ...known, issuer: 'https://other.example', matchesEmail: false };
    expect((await signIn(elsewhere)).reason).toBe('UNKNOWN_USER');
    // The e-mail belongs to another account of the provider now: it does not take the person over.
    expect((await signIn({ ...known, subject: 's-2' })).reason).toBe('USER_LINKED');
  });

  it('is matched by e-mail only if the operator allows it', async () => {
    const email = await emailOf(acme.principals.author.userId);
    expect((await signIn({ email, isEmailVerified: true })).reason).toBe('UNKNOWN_USER');
  });

  it.each<[string, Attempt]>([
    ['not verified', { isEmailVerified: false }],
    ['missing', { email: null, isEmailVerified: true }],
  ])('is neither matched nor created by an e-mail that is %s', async (_what, attempt) => {
    const email = await emailOf(acme.principals.author.userId);
    const person = { createsUser: true, role: 'VIEWER' as const };
    for (const each of [
      { email, matchesEmail: true, ...attempt },
      { email: 'new@acme.test', person, ...attempt },
    ])
      expect((await signIn(each)).reason).toBe('EMAIL_NOT_VERIFIED');
  });

  it('is found in the tenant of its claims, where two tenants have the e-mail', async () => {
    const email = `${newKey().toLowerCase()}@shared.test`;
    const add = async (tenantId: string) =>
      (await tenantUsers.create.mutate({ email, tenantId }, { context: acme.asAdmin })).user.id;
    const [north, south] = [await add(acme.north.id), await add(acme.south.id)];
    const attempt = { subject: subjectOf(), email, isEmailVerified: true, matchesEmail: true };
    const signInTo = async (tenantId: string | null) => signIn({ ...attempt, person: { tenantId } });
    expect((await signInTo(acme.north.id)).session?.user.id).toBe(north);
    expect((await signInTo(acme.south.id)).session?.user.id).toBe(south);
    expect((await signInTo(null)).reason).toBe('UNKNOWN_USER');
    expect((await signInTo('t_none')).reason).toBe('UNKNOWN_USER');
  });

  it('who is deactivated is rejected, and cannot become active by its claims', async () => {
    const { userId } = await addOrgUser(platform, acme, 'AUTHOR');
    const email = await emailOf(userId);
    await orgUsers.update.mutate({ id: userId, isActive: false }, { context: acme.asAdmin });
    const person = { role: 'ADMIN' as const, createsUser: true };
    const { reason } = await signIn({ email, isEmailVerified: true, matchesEmail: true, person });
    expect(reason).toBe('USER_INACTIVE');
    const { user } = await orgUsers.get.query({ id: userId }, { context: acme.asAdmin });
    expect(user).toMatchObject({ isActive: false, role: 'AUTHOR' });
    const [event] = await platform.eventsOf('management.sign_in.failed.v1', userId);
    expect(event?.data).toMatchObject({ reason: 'USER_INACTIVE', method: 'oidc', ...CLIENT });
  });
});

describe('the first sign-in', () => {
  const newPerson = () => ({
    email: `${newKey().toLowerCase()}@new.test`,
    isEmailVerified: true,
    name: 'Nora New',
  });

  it('creates a person only if the mapping does, with the role of the claims', async () => {
    const attempt = newPerson();
    expect((await signIn({ ...attempt, person: { role: 'AUTHOR' } })).reason).toBe('UNKNOWN_USER');
    expect((await signIn({ ...attempt, person: { createsUser: true } })).reason).toBe('UNKNOWN_USER');
    const created = await signIn({ ...attempt, person: { createsUser: true, role: 'AUTHOR' } });
    expect(created.session?.user).toMatchObject({
      email: attempt.email,
      name: 'Nora New',
      role: 'AUTHOR',
    });
    const id = created.session?.user.id ?? '';
    const [event] = await platform.eventsOf('management.org_user.created.v1', id);
    expect([event?.actorid, event?.data['role']]).toEqual([undefined, 'AUTHOR']);
    const [linked] = await platform.eventsOf('management.identity.linked.v1', id);
    expect(linked?.data).toMatchObject({ issuer: ISSUER, by: 'creation' });
  });

  it('creates a user of the tenant of the claims', async () => {
    const person = { tenantId: acme.north.id, createsUser: true, role: 'POWER_USER' as const };
    const { session } = await signIn({ ...newPerson(), person });
    expect(session?.user).toMatchObject({ kind: 'tenantUser', tenantId: acme.north.id, role: 'POWER_USER' });
  });

  it('creates no second person for an e-mail that is taken', async () => {
    const email = await emailOf(acme.principals.author.userId);
    const person = { createsUser: true, role: 'ADMIN' as const };
    expect((await signIn({ email, isEmailVerified: true, person })).reason).toBe('EMAIL_TAKEN');
  });

  it('of concurrent ones creates one person', async () => {
    const attempt = {
      ...newPerson(),
      subject: subjectOf(),
      person: { createsUser: true, role: 'VIEWER' as const },
    };
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => signIn(attempt)));
    const ids = new Set(outcomes.map(({ session }) => session?.user.id));
    expect([ids.size, ids.has(undefined)]).toEqual([1, false]);
  });

  it.each([{ matchesEmail: false }, { matchesEmail: true }])(
    'finds the person that another one creates after it has found no link: $matchesEmail',
    async ({ matchesEmail }) => {
      const person = { createsUser: true, role: 'VIEWER' as const };
      const attempt = { ...newPerson(), subject: subjectOf(), matchesEmail, person };
      const { find } = IdentityStore.prototype;
      let other: string | undefined;
      using reads = vi.spyOn(IdentityStore.prototype, 'find');
      reads.mockImplementationOnce(async function (this: IdentityStore, ...account) {
        const found = await find.apply(this, account);
        other = (await signIn(attempt)).session?.user.id;
        return found;
      });
      const { reason, session } = await signIn(attempt);
      expect(reads.mock.calls.length).toBeGreaterThan(1);
      expect([reason, session?.user.id]).toEqual([null, other]);
    },
  );

  it('completes what a crash has interrupted between the link and the person', async () => {
    const attempt = {
      ...newPerson(),
      subject: subjectOf(),
      person: { createsUser: true, role: 'VIEWER' as const },
    };
    const account = {
      issuer: ISSUER,
      subject: attempt.subject,
      organizationId: acme.organizationId,
      tenantKey: null,
    };
    const written = { events: [], now: new Date(Date.now() - 60_000) };
    const link = { account, userKey: 'u:lost', former: null };
    expect(await platform.dependencies.stores.identities.link(acme.organizationId, link, written)).toBe(
      'linked',
    );
    expect((await signIn(attempt)).session?.user.email).toBe(attempt.email);
  });

  it('of a deleted person is the first one again, and returns nothing of the former person', async () => {
    const attempt = {
      ...newPerson(),
      subject: subjectOf(),
      person: { createsUser: true, role: 'AUTHOR' as const },
    };
    const { session } = await signIn(attempt);
    const id = session?.user.id ?? '';
    await orgUsers.delete.mutate({ id }, { context: acme.asAdmin });
    const identities = platform.database.collection('identities');
    const count = () => identities.countDocuments({ subject: attempt.subject });
    await expect.poll(count, { timeout: 60_000 }).toBe(0);
    const again = await signIn(attempt);
    expect([again.reason, again.session?.user.id === id]).toEqual([null, false]);
  });
});

describe('the claims', () => {
  async function linked(role: 'VIEWER' | 'AUTHOR' | 'ADMIN') {
    const { userId } = await addOrgUser(platform, acme, role);
    const attempt = {
      subject: subjectOf(),
      email: await emailOf(userId),
      isEmailVerified: true,
      matchesEmail: true,
    };
    return { userId, attempt };
  }

  it('set the role at each sign-in, with an event', async () => {
    const { userId, attempt } = await linked('VIEWER');
    for (const role of ['AUTHOR', 'VIEWER'] as const)
      expect((await signIn({ ...attempt, person: { role } })).session?.user.role).toBe(role);
    expect((await signIn({ ...attempt, person: { role: null } })).session?.user.role).toBe('VIEWER');
    const events = await platform.eventsOf('management.org_user.updated.v1', userId, 2);
    expect(events.map(({ data }) => data['role'])).toEqual(['AUTHOR', 'VIEWER']);
  });

  it('leave the organization at least one active ADMIN, and admit that one with no lower role', async () => {
    const { userId } = acme.admin;
    const attempt = {
      subject: subjectOf(),
      email: await emailOf(userId),
      isEmailVerified: true,
      matchesEmail: true,
    };
    expect((await signIn({ ...attempt, person: { role: 'VIEWER' } })).reason).toBe('ROLE_NOT_APPLIED');
    const { user } = await orgUsers.get.query({ id: userId }, { context: acme.asAdmin });
    expect(user.role).toBe('ADMIN');
    await addOrgUser(platform, acme, 'ADMIN');
    expect((await signIn({ ...attempt, person: { role: 'VIEWER' } })).session?.user.role).toBe('VIEWER');
  });

  it('add to and remove from the groups of the mapping, and leave all other groups alone', async () => {
    const { userId, attempt } = await linked('VIEWER');
    const create = async (name: string) =>
      (await groups.create.mutate({ name, type: 'ORG_GROUP' }, { context: acme.asAdmin })).group.id;
    const [finance, sales, other] = [await create('Finance'), await create('Sales'), await create('Other')];
    for (const id of [sales, other])
      await groups.addMembers.mutate({ id, userIds: [userId] }, { context: acme.asAdmin });
    const person = {
      groups: [
        { groupId: finance, isMember: true },
        { groupId: sales, isMember: false },
        { groupId: 'grp_none', isMember: true },
      ],
    };
    const { cookieHash } = await signIn({ ...attempt, person });
    const { accessToken } = await sessions.issueToken.mutate({ cookieHash }, system);
    const principal = await platform.resolve(claimsIn(accessToken));
    expect(principal && 'groupIds' in principal && principal.groupIds.toSorted()).toEqual(
      [finance, other].toSorted(),
    );
    await platform.eventsOf('management.group_member.added.v1', finance);
    await platform.eventsOf('management.group_member.removed.v1', sales);
  });

  it('bring no user of a tenant into a group of another tenant', async () => {
    const { group } = await groups.create.mutate(
      { name: 'South team', type: 'TENANT_GROUP', tenantId: acme.south.id },
      { context: acme.asAdmin },
    );
    const email = `${newKey().toLowerCase()}@new.test`;
    const { session, cookieHash } = await signIn({
      email,
      isEmailVerified: true,
      person: {
        tenantId: acme.north.id,
        createsUser: true,
        role: 'VIEWER',
        groups: [{ groupId: group.id, isMember: true }],
      },
    });
    expect(session?.user.tenantId).toBe(acme.north.id);
    const { accessToken } = await sessions.issueToken.mutate({ cookieHash }, system);
    expect(await platform.resolve(claimsIn(accessToken))).toMatchObject({ groupIds: [] });
  });

  it.each<Partial<MappedPerson>>([
    { role: 'POWER_USER' },
    { role: 'ADMIN', tenantId: 't_1' },
    { role: 'AUTHOR', tenantId: 't_1' },
  ])('give no role of another kind of user: %j', async (person) => {
    await expect(signIn({ person })).rejects.toMatchObject({ cause: { code: 'INVALID_REQUEST' } });
  });

  it('limit the projects of the session', async () => {
    const { attempt } = await linked('ADMIN');
    const { cookieHash, session } = await signIn({ ...attempt, person: { projectIds: ['p_none'] } });
    expect(session?.projects).toEqual([]);
    const { projectId } = acme.credentials;
    const issued = sessions.issueToken.mutate({ cookieHash, projectId }, system);
    await expect(issued).rejects.toMatchObject({ cause: { code: 'FORBIDDEN' } });
  });
});

describe('a logout token', () => {
  const logOut = (token: { subject?: string; providerSession?: string; tokenId?: string; issuer?: string }) =>
    sessions.endByProvider.mutate(
      { issuer: ISSUER, tokenId: newKey(), expiresAt: new Date(Date.now() + 60_000).toISOString(), ...token },
      system,
    );
  const open = async (subject: string, providerSession: string) => {
    const email = `${newKey().toLowerCase()}@new.test`;
    const person = { createsUser: true, role: 'VIEWER' as const };
    return (await signIn({ subject, providerSession, email, isEmailVerified: true, person })).cookieHash;
  };
  const isLive = async (cookieHash: string) =>
    (await sessions.find.query({ cookieHash }, system)).session !== null;

  it('ends the session that it names, or all of the subject, at its issuer', async () => {
    const [one, two] = [subjectOf(), subjectOf()];
    const [a, b, c] = [await open(one, `${one}-a`), await open(one, `${one}-b`), await open(two, `${two}-a`)];
    await logOut({ subject: one, issuer: 'https://other.example' });
    await logOut({ providerSession: `${one}-a`, subject: two });
    await logOut({});
    expect(await Promise.all([a, b, c].map(isLive))).toEqual([true, true, true]);
    const { organizationIds } = await logOut({ providerSession: `${one}-a` });
    expect(organizationIds).toEqual([acme.organizationId]);
    expect(await Promise.all([a, b, c].map(isLive))).toEqual([false, true, true]);
    await logOut({ subject: one });
    expect(await Promise.all([a, b, c].map(isLive))).toEqual([false, false, true]);
  });

  it('is accepted once: a repetition does not end a later session', async () => {
    const subject = subjectOf();
    const token = { subject, tokenId: newKey() };
    const former = await open(subject, 'x');
    expect((await logOut(token)).isNew).toBe(true);
    const later = await open(subject, 'y');
    expect((await logOut(token)).isNew).toBe(false);
    expect(await Promise.all([former, later].map(isLive))).toEqual([false, true]);
  });
});
