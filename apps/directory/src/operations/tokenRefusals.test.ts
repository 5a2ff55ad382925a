import { AppError } from '@gatehouse/contract';
import { startTestMongo } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { populate } from '../testing/population.js';

const platform = await startPlatform(await startTestMongo());

const REFUSED = 'management.request.refused.v1';
/** So many of a project are told of one by one in a minute. */
const SINGLE_MAX = 10;

const guess = async (credentials: { projectId: string; projectSecret: string }) => {
  const outcome = await platform.directory.tokens
    .issue(await platform.asSystem, credentials)
    .catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(AppError);
  expect(outcome).toMatchObject({ code: 'UNAUTHENTICATED' });
};

it('a wrong secret of a project is told of, ten times a minute at most, and nothing of what was guessed', async () => {
  const { credentials, organizationId } = await populate(platform);
  const { projectId } = credentials;
  for (let guesses = 0; guesses < 3 * SINGLE_MAX; guesses += 1)
    await guess({ projectId, projectSecret: `guess-${guesses}` });
  const told = await platform.eventsOf(REFUSED, 'issueToken', SINGLE_MAX);
  expect(told).toHaveLength(SINGLE_MAX);
  expect(told[0]).toMatchObject({
    source: '/gatehouse/directory',
    organizationid: organizationId,
    projectid: projectId,
    actorkind: 'anonymous',
    requestid: expect.stringMatching(/^test-/) as string,
    data: { operation: 'issueToken', status: 401, code: 'UNAUTHENTICATED', resourceId: null, count: 1 },
  });
  expect(told[0]).not.toHaveProperty('actorid');
  expect(JSON.stringify(told)).not.toContain('guess');

  // Of a project that does not exist nobody is told: it is nobody's.
  await guess({ projectId: 'p_unknown', projectSecret: 'guess' });
  await platform.directory.tokens.issue(await platform.asSystem, credentials);
  await platform.stop();
  const all = platform.events.filter(({ type }) => type === REFUSED);
  expect(all.map(({ data }) => data['count'])).toEqual([
    ...Array.from({ length: SINGLE_MAX }, () => 1),
    2 * SINGLE_MAX,
  ]);
});
