import { setTimeout as sleep } from 'node:timers/promises';
import { ACCESS_LEVELS, OrgUserRole, TenantUserRole, type AccessLevel } from '@gatehouse/contract';
import { organizations, randomRuns, type Organization } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded } from './src/api.js';
import {
  buildOrganization,
  changeUser,
  grant,
  revoke,
  sessionOf,
  type BuiltOrganization,
  type Ground,
} from './src/organizations/build.js';
import {
  afterGrant,
  afterMembership,
  afterRevocation,
  afterUserChange,
  attemptsOfContributor,
  changeSeeds,
  expectationsOf,
  drawAttempt,
  findAllowed,
  findDelegation,
  findShare,
  pick,
  predictMembership,
  predictSharing,
  type ChangeSeed,
  type SharingAttempt,
} from './src/organizations/changes.js';
import { planOfOrganization, possibleOrganization } from './src/organizations/plan.js';
import { askInAllWays, readLevels } from './src/organizations/ways.js';
import { forms, type TestServer } from './src/servers.js';

/**
 * Organizations that are created concurrently on each deployment mode; thousands are tested in the parts, in
 * one process.
 */
const TOGETHER = randomRuns(12);
const CHANGES = 8;

let server: TestServer;
let ground: Ground;

describe.each(forms)('in the mode $form', ({ start }) => {
  beforeAll(async () => {
    // Expired shares remain, as between two sweeps.
    server = await start({ SWEEP_INTERVAL_MS: '600000' });
    const api = await createApi(server.credentials);
    ground = { api, projects: { main: api.project, aside: await api.createProject() } };
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** An organization on the platform, and the model of its current state. */
  interface Standing {
    built: BuiltOrganization;
    model: Organization;
  }

  async function expectAgreement({ built, model }: Standing): Promise<void> {
    const { told, expected } = await askInAllWays(built, expectationsOf(model));
    expect(told).toEqual(expected);
  }

  type Levels = Awaited<ReturnType<typeof readLevels>>;

  /** Compares levels before and after a change: a rejected user has the lowest of all. */
  function expectNowhere(
    wrong: 'lower' | 'higher',
    { before, after }: { before: Levels; after: Levels },
  ): void {
    const rank = (level: Levels[string] | undefined) => ACCESS_LEVELS.indexOf(level as AccessLevel);
    const isWrong = (key: string) =>
      wrong === 'lower' ? rank(after[key]) < rank(before[key]) : rank(after[key]) > rank(before[key]);
    const found = Object.keys(before).filter(isWrong);
    expect(found.map((key) => [key, before[key], after[key]])).toEqual([]);
  }

  const planned = ({ share: { scope, target, role } }: SharingAttempt) => ({
    scope,
    target,
    role,
    expiry: 'never' as const,
  });

  /** An allowed grant lowers no level, and the revocation of a new one restores the previous state. */
  async function grantAndRevoke(standing: Standing, seed: ChangeSeed): Promise<void> {
    const { built, model } = standing;
    const attempt = findAllowed(model, seed, true);
    if (!attempt) return;
    const { user, resource, share } = attempt;
    const found = model.resources[resource];
    if (!found || findShare(found, share)) return;
    const before = await readLevels(built);
    succeeded(await grant(built, resource, { by: user, share: planned(attempt) }));
    expectNowhere('lower', { before, after: await readLevels(built) });
    await expectAgreement({ built, model: afterGrant(model, attempt) });
    const revoked = succeeded(await revoke(built, resource, { by: user, target: share }));
    expect(revoked.removed).toHaveLength(1);
    expect(await readLevels(built)).toEqual(before);
  }

  /** A lower role raises no level, least of all the user's own. */
  async function lowerRole({ built, model }: Standing, seed: ChangeSeed): Promise<Organization> {
    const name = pick(Object.keys(model.users), seed.user) ?? '';
    const [user, of] = [built.users[name], model.users[name]];
    if (!user || !of) return model;
    const roles = of.tenant === null ? OrgUserRole.options : TenantUserRole.options;
    const lower = pick<(typeof roles)[number]>(
      roles.slice(0, (roles as readonly string[]).indexOf(of.role)),
      seed.role,
    );
    if (lower === undefined) return model;
    const before = await readLevels(built);
    await changeUser(ground.api, user, { role: lower });
    expectNowhere('higher', { before, after: await readLevels(built) });
    return afterUserChange(model, name, { role: lower });
  }

  /** Allowed changes succeed, and others fail with the expected error. */
  async function attemptSharing(
    { built, model }: Standing,
    attempt: SharingAttempt,
    isGrant: boolean,
  ): Promise<Organization> {
    const status = predictSharing(model, attempt, isGrant);
    const answer = isGrant
      ? await grant(built, attempt.resource, { by: attempt.user, share: planned(attempt) })
      : await revoke(built, attempt.resource, { by: attempt.user, target: attempt.share });
    const { status: answered, body } = answer;
    expect({ attempt, body, answered }).toEqual({ attempt, body, answered: status });
    if (status !== 200) return model;
    return isGrant ? afterGrant(model, attempt) : afterRevocation(model, attempt);
  }

  /** The attempt of any user, or, because most of those fail for one reason, one that is allowed. */
  async function changeShares(standing: Standing, seed: ChangeSeed, isGrant: boolean): Promise<Organization> {
    const { model } = standing;
    const attempt = seed.kind % 2 === 0 ? findAllowed(model, seed, isGrant) : drawAttempt(model, seed);
    return attempt ? attemptSharing(standing, attempt, isGrant) : model;
  }

  /** A user becomes a contributor, and shares the resource: never at a higher level than its own. */
  async function delegate({ built, model: first }: Standing, seed: ChangeSeed): Promise<Organization> {
    const delegation = findDelegation(first, seed);
    if (!delegation) return first;
    let model = await attemptSharing({ built, model: first }, delegation, true);
    const { resource, share } = delegation;
    for (const attempt of attemptsOfContributor(model, { user: share.target ?? '', resource })) {
      model = await attemptSharing({ built, model }, attempt, true);
    }
    return model;
  }

  async function toggleActivity({ built, model }: Standing, seed: ChangeSeed): Promise<Organization> {
    const name = pick(Object.keys(model.users), seed.user) ?? '';
    const [user, isActive] = [built.users[name], !model.users[name]?.isActive];
    if (!user) return model;
    await changeUser(ground.api, user, { isActive });
    return afterUserChange(model, name, { isActive });
  }

  async function toggleMembership({ built, model }: Standing, seed: ChangeSeed): Promise<Organization> {
    const name = pick(Object.keys(model.groups), seed.target) ?? '';
    const user = pick(Object.keys(model.users), seed.user) ?? '';
    const group = model.groups[name];
    if (!group) return model;
    const isMember = group.members.includes(user);
    const path = `/groups/${built.groups[name]}/members`;
    const authors = Object.entries(model.users).filter(([, { role }]) => role === 'AUTHOR');
    // Half of the attempts come from an ADMIN, so that memberships change often enough.
    const by = seed.kind % 2 === 0 ? null : (pick(authors, seed.role)?.[0] ?? null);
    const session = by === null ? ground.api.admin : sessionOf(built, by, 'main');
    const answer = await session.send(isMember ? 'DELETE' : 'POST', path, {
      body: { userIds: [built.users[user]?.id] },
    });
    expect(answer.status).toBe(predictMembership(model, { by, user, group: name }));
    if (answer.status !== 200) return model;
    const others = group.members.filter((member) => member !== user);
    return afterMembership(model, name, isMember ? others : [...others, user]);
  }

  const KINDS = [
    delegate,
    (standing: Standing, seed: ChangeSeed) => changeShares(standing, seed, true),
    (standing: Standing, seed: ChangeSeed) => changeShares(standing, seed, false),
    toggleMembership,
    toggleActivity,
  ];

  describe('random organizations over HTTP', () => {
    it('agree with the reference model in all queries, after all changes', async () => {
      const several = fc.array(
        fc.record({
          organization: organizations,
          seeds: fc.array(changeSeeds, { minLength: CHANGES, maxLength: CHANGES }),
        }),
        { minLength: TOGETHER, maxLength: TOGETHER },
      );
      const property = fc.asyncProperty(several, async (drawn) => {
        const standing = await Promise.all(
          drawn.map(async ({ organization, seeds }) => {
            const model = possibleOrganization(organization);
            return {
              model,
              seeds,
              built: await buildOrganization(ground, planOfOrganization(organization, model)),
            };
          }),
        );
        await sleep(Math.max(0, ...standing.map(({ built }) => built.readyAt - Date.now() + 1)));
        for (const { built, model: first, seeds } of standing) {
          await expectAgreement({ built, model: first });
          const [grantSeed, roleSeed, ...others] = seeds;
          if (!grantSeed || !roleSeed) throw new Error('Too few changes');
          await grantAndRevoke({ built, model: first }, grantSeed);
          let model = await lowerRole({ built, model: first }, roleSeed);
          for (const [index, seed] of others.entries()) {
            model = (await KINDS[index % KINDS.length]?.({ built, model }, seed)) ?? model;
          }
          await expectAgreement({ built, model });
        }
      });
      // Each organization takes hundreds of requests: a failure is reported unchanged, and shrunk if that
      // needs no request.
      await expect(fc.assert(property, { numRuns: 1, endOnFailure: true })).resolves.toBeUndefined();
    });
  });
});
