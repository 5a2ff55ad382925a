import { expect, it } from 'vitest';
import { SessionTokens } from './sessionTokens.js';

/** Creates the cache with tokens of this length. */
function start(length: number) {
  let issued = 0;
  const tokens = new SessionTokens(async () => {
    issued += 1;
    const expiresAt = new Date(Date.now() + 120_000).toISOString();
    return { accessToken: String(issued).padStart(length, 'a'), expiresAt, organizationId: 'o_1' };
  });
  return { tokens, countIssued: () => issued };
}

it.each([
  ['keeps the tokens of two thousand sessions', 640, 0],
  ['counts the length of tokens, so that those with many restrictions do not fill the memory', 12_000, 1],
])('%s', async (_, length, issuedAgain) => {
  const { tokens, countIssued } = start(length);
  for (let index = 0; index < 2000; index += 1) await tokens.find(`cookie ${index}`, undefined, 'r_1');
  await tokens.find('cookie 1999', undefined, 'r_1');
  expect(countIssued()).toBe(2000);
  await tokens.find('cookie 0', undefined, 'r_1');
  expect(countIssued()).toBe(2000 + issuedAgain);
});
