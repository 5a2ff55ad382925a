import type { Principal } from '@gatehouse/contract';
import { type Callers, callersOf, newGround } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
let us: Callers;
beforeEach(() => {
  us = callersOf(newGround());
});

const CALLERS = Object.keys(callersOf(newGround())) as (keyof Callers)[];
const deniedCallers = CALLERS.filter((caller) => !['orgAdmin', 'orgAuthor'].includes(caller));
const codeOf = async (call: () => Promise<unknown>) => (await platform.rejectionOf(call)).code;

describe('assistant profiles', () => {
  const create = async (fields: object = {}, by: Principal = us.orgAuthor) =>
    (
      await platform.semantics.assistantProfiles.create.mutate(
        { name: 'Analyst', ...fields },
        { context: await platform.as(by) },
      )
    ).assistantProfile;

  it.each(deniedCallers)('deny %s', async (caller) => {
    const { id } = await create();
    const as = await platform.as(us[caller]);
    const { assistantProfiles } = platform.semantics;
    for (const call of [
      () => assistantProfiles.list.query({}, { context: as }),
      () => assistantProfiles.get.query({ id }, { context: as }),
      () => assistantProfiles.create.mutate({ name: 'Other' }, { context: as }),
      () => assistantProfiles.update.mutate({ id, name: 'Other' }, { context: as }),
      () => assistantProfiles.delete.mutate({ id }, { context: as }),
    ]) {
      expect(await codeOf(call)).toBe('FORBIDDEN');
    }
  });

  it('are created, read, listed, updated and deleted', async () => {
    const made = await create({ instructions: 'Be brief' });
    expect(made).toMatchObject({
      description: '',
      instructions: 'Be brief',
      createdBy: 'ou_author',
      version: 1,
    });
    const as = await platform.as(us.orgAdmin);
    const { assistantProfiles } = platform.semantics;
    const { id } = made;
    expect(id).toMatch(/^ap_/);
    expect((await assistantProfiles.get.query({ id }, { context: as })).assistantProfile).toEqual(made);
    expect((await assistantProfiles.list.query({}, { context: as })).assistantProfiles).toEqual([made]);
    const { assistantProfile } = await assistantProfiles.update.mutate(
      {
        id,
        description: 'New',
        name: 'Analyst',
      },
      { context: as },
    );
    expect(assistantProfile).toMatchObject({ description: 'New', instructions: 'Be brief', version: 2 });
    const [event] = await platform.eventsOf('management.assistant_profile.updated.v1', id);
    expect(event?.data['changes']).toEqual({ description: { from: '', to: 'New' } });
    const deleted = await assistantProfiles.delete.mutate({ id }, { context: as });
    expect(deleted.deletedAssistantProfile).toEqual({ id, name: 'Analyst' });
    expect(await codeOf(() => assistantProfiles.get.query({ id }, { context: as }))).toBe('NOT_FOUND');
  });

  it('have unique names, are hidden from other projects, and reject another expected version', async () => {
    const { id } = await create();
    const { id: otherId } = await create({ name: 'Other' });
    expect(await codeOf(() => create())).toBe('CONFLICT');
    const { assistantProfiles } = platform.semantics;
    const author = await platform.as(us.orgAuthor);
    expect(
      await codeOf(() =>
        assistantProfiles.update.mutate({ id: otherId, name: 'Analyst' }, { context: author }),
      ),
    ).toBe('CONFLICT');
    const stranger = await platform.as(callersOf(newGround()).orgAdmin);
    expect(await codeOf(() => assistantProfiles.get.query({ id }, { context: stranger }))).toBe('NOT_FOUND');
    expect(await codeOf(() => assistantProfiles.delete.mutate({ id }, { context: stranger }))).toBe(
      'NOT_FOUND',
    );
    const stale = await platform.as(us.orgAuthor, [5]);
    expect(await codeOf(() => assistantProfiles.update.mutate({ id, name: 'x' }, { context: stale }))).toBe(
      'PRECONDITION_FAILED',
    );
    expect(await codeOf(() => assistantProfiles.delete.mutate({ id }, { context: stale }))).toBe(
      'PRECONDITION_FAILED',
    );
  });
});
