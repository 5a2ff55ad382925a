import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { identOf, readCommitText, writeCommitText } from './commitText.js';

const MARKS = { dashboardVersion: 7, key: 'AbC-_1' };

describe('the text of a commit', () => {
  it('has the message first and the marks last', () => {
    expect(writeCommitText('Title\r\n\r\nBody\n\n', MARKS)).toBe(
      'Title\n\nBody\n\nDashboard-Version: 7\nGatehouse-Key: AbC-_1\n',
    );
  });

  it('gives back whatever message it was made with, and its own marks', () => {
    const messages = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(messages, (message) => {
        const normal = message
          .replaceAll(/\r\n?/g, '\n')
          .replace(/^\s*\n/, '')
          .trimEnd();
        expect(readCommitText(writeCommitText(message, MARKS))).toEqual({ message: normal, marks: MARKS });
      }),
    );
  });

  it('does not take marks from a message, nor from a commit of others', () => {
    const claims = 'x\n\nDashboard-Version: 99\nGatehouse-Key: forged';
    expect(readCommitText(writeCommitText(claims, MARKS))).toEqual({ message: claims, marks: MARKS });
    expect(readCommitText('Edited by hand\n')).toEqual({ message: 'Edited by hand', marks: null });
  });
});

describe('an author', () => {
  it.each([
    ['Ada Lovelace', 'ada@example.com', 'Ada Lovelace', 'ada@example.com'],
    ['Evil <x@y>\ncommitter Z', 'a b\n@<c>', 'Evil x@y committer Z', 'ab@c'],
    ['."\\', '', 'unknown', 'unknown'],
    ['', 'ada@example.com', 'ada@example.com', 'ada@example.com'],
    ['x'.repeat(500), 'a@b', 'x'.repeat(200), 'a@b'],
  ])('%j %j is written as %j %j', (name, email, writtenName, writtenEmail) => {
    expect(identOf({ name, email })).toEqual({ name: writtenName, email: writtenEmail });
  });
});
