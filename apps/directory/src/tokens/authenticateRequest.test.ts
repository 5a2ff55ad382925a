import { findAppError } from '@gatehouse/service';
import { startTestMongo } from '@gatehouse/testing';
import { afterAll, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { populate } from '../testing/population.js';

const mongo = await startTestMongo();
afterAll(() => mongo[Symbol.asyncDispose]());
// Stopped by the test.
const platform = await startPlatform(mongo.databases);

const REFUSED = 'management.request.refused.v1';
/** The number of refusals of a project that are published one by one in a minute. */
const SINGLE_MAX = 10;

const guess = async (credentials: { projectId: string; projectSecret: string }) => {
  const outcome = await platform.directory.tokens.issue
    .mutate(credentials, { context: await platform.asSystem })
    .catch((error: unknown) => error);
  expect(findAppError(outcome)?.code).toBe('UNAUTHENTICATED');
};

it('publishes at most ten events a minute for wrong secrets of a project, without the guesses', async () => {
  const { credentials, organizationId } = await populate(platform);
  const { projectId } = credentials;
  for (let guesses = 0; guesses < 3 * SINGLE_MAX; guesses += 1)
    await guess({ projectId, projectSecret: `guess-${guesses}` });
  const published = await platform.eventsOf(REFUSED, 'issueToken', SINGLE_MAX);
  expect(published).toHaveLength(SINGLE_MAX);
  expect(published[0]).toMatchObject({
    source: '/gatehouse/directory',
    organizationid: organizationId,
    projectid: projectId,
    actorkind: 'anonymous',
    requestid: expect.stringMatching(/^test-/) as string,
    data: { operation: 'issueToken', status: 401, code: 'UNAUTHENTICATED', resourceId: null, count: 1 },
  });
  expect(published[0]).not.toHaveProperty('actorid');
  expect(JSON.stringify(published)).not.toContain('guess');

  // An unknown project has no organization, so no event is published.
  await guess({ projectId: 'p_unknown', projectSecret: 'guess' });
  await platform.directory.tokens.issue.mutate(credentials, { context: await platform.asSystem });
  await platform[Symbol.asyncDispose]();
  const all = platform.events.filter(({ type }) => type === REFUSED);
  expect(all.map(({ data }) => data['count'])).toEqual([
    ...Array.from({ length: SINGLE_MAX }, () => 1),
    2 * SINGLE_MAX,
  ]);
});
