import { expect, it } from 'vitest';
import { isGitSupported } from './gitVersion.js';

it.each([
  ['git version 2.37.0', true],
  ['git version 2.39.5 (Apple Git-154)', true],
  ['git version 3.0.1', true],
  ['git version 2.36.6', false],
  ['git version 1.99.0', false],
  ['', false],
  ['sh: git: not found', false],
])('%s is supported: %s', (output, isSupported) => {
  expect(isGitSupported(output)).toBe(isSupported);
});
