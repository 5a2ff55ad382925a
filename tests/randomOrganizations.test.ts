import { setTimeout as sleep } from 'node:timers/promises';
import { ACCESS_LEVELS, OrgUserRole, TenantUserRole, type AccessLevel } from '@gatehouse/contract';
import { organizations, type Organization } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded } from './src/api.js';
import {
  buildOrganization,
  changeUser,
  grant,
  revoke,
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
  predictSharing,
  type ChangeSeed,
  type SharingAttempt,
} from './src/organizations/changes.js';
import { planOfOrganization, possibleOrganization } from './src/organizations/plan.js';
import { askInAllWays, readLevels } from './src/organizations/ways.js';
import { forms, type TestServer } from './src/servers.js';

/** Organizations that are made side by side on each form: thousands are asked of the parts, in one process. */
const TOGETHER = 12;
const CHANGES = 8;

let server: TestServer;
let ground: Ground;

describe.each(forms)('on the form $form', ({ start }) => {
  beforeAll(async () => {
    // Expired shares stay, as they do between two sweeps.
    server = await start({ SWEEP_INTERVAL_MS: '600000' });
    const api = await createApi(server.credentials);
    ground = { api, projects: { main: api.project, aside: await api.createProject() } };
  });
  afterAll(() => server[Symbol.asyncDispose]());

  /** An organization that stands, and the model of what it is by now. */
  interface Standing {
    built: BuiltOrganization;
    model: Organization;
  }

  async function expectAgreement({ built, model }: Standing): Promise<void> {
    const { told, expected } = await askInAllWays(built, expectationsOf(model));
    expect(told).toEqual(expected);
  }

  type Levels = Awaited<ReturnType<typeof readLevels>>;

  /** Compares levels before and after a change: somebody who is refused has the lowest of all. */
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

  /** A grant that may be made lowers nobody, and the revocation of a new one leaves everything as it was. */
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

  /** A lower role raises nobody, itself least of all. */
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

  /** What may be done is done, and what may not is refused as it has to be. */
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

  /** Anybody's attempt, or, because most of those are refused for one reason, one that is allowed. */
  async function changeShares(standing: Standing, seed: ChangeSeed, isGrant: boolean): Promise<Organization> {
    const { model } = standing;
    const attempt = seed.kind % 2 === 0 ? findAllowed(model, seed, isGrant) : drawAttempt(model, seed);
    return attempt ? attemptSharing(standing, attempt, isGrant) : model;
  }

  /** Somebody becomes a contributor, and shares on: never more than it has itself. */
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
    const isEligible = group.tenant === null || model.users[user]?.tenant === group.tenant;
    const path = `/groups/${built.groups[name]}/members`;
    const answer = await ground.api.admin.send(isMember ? 'DELETE' : 'POST', path, {
      body: { userIds: [built.users[user]?.id] },
    });
    expect(answer.status).toBe(isEligible ? 200 : 400);
    if (!isEligible) return model;
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
    it('agree with the reference model in every way of asking, whatever changes', async () => {
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
      // Each organization takes hundreds of requests: what fails is told as it is, and shrunk where no request is needed.
      await expect(fc.assert(property, { numRuns: 1, endOnFailure: true })).resolves.toBeUndefined();
    });
  });
});
