import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toIdent, readCommitText, writeCommitText } from './commitText.js';

const TRAILERS = { dashboardVersion: 7, key: 'AbC-_1' };

describe('the text of a commit', () => {
  it('has the message first and the trailers last', () => {
    expect(writeCommitText('Title\r\n\r\nBody\n\n', TRAILERS)).toBe(
      'Title\n\nBody\n\nDashboard-Version: 7\nGatehouse-Key: AbC-_1\n',
    );
  });

  it('round-trips any message with its trailers', () => {
    const messages = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(messages, (message) => {
        const normal = message
          .replaceAll(/\r\n?/g, '\n')
          .replace(/^\s*\n/, '')
          .trimEnd();
        expect(readCommitText(writeCommitText(message, TRAILERS))).toEqual({
          message: normal,
          trailers: TRAILERS,
        });
      }),
    );
  });

  it('ignores trailers within a message, and finds none in a commit of others', () => {
    const claims = 'x\n\nDashboard-Version: 99\nGatehouse-Key: forged';
    expect(readCommitText(writeCommitText(claims, TRAILERS))).toEqual({
      message: claims,
      trailers: TRAILERS,
    });
    expect(readCommitText('Edited by hand\n')).toEqual({ message: 'Edited by hand', trailers: null });
  });
});

describe('toIdent', () => {
  it.each([
    ['Ada Lovelace', 'ada@example.com', 'Ada Lovelace', 'ada@example.com'],
    ['Evil <x@y>\ncommitter Z', 'a b\n@<c>', 'Evil x@y committer Z', 'ab@c'],
    ['."\\', '', 'unknown', 'unknown'],
    ['', 'ada@example.com', 'ada@example.com', 'ada@example.com'],
    ['x'.repeat(500), 'a@b', 'x'.repeat(200), 'a@b'],
  ])('converts %j %j to %j %j', (name, email, writtenName, writtenEmail) => {
    expect(toIdent({ name, email })).toEqual({ name: writtenName, email: writtenEmail });
  });
});
