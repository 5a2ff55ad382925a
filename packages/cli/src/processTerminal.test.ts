import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { readAnswer } from './processTerminal.js';

async function answerTo(typed: string, isEnd = false): Promise<string> {
  const input = new PassThrough();
  const answer = readAnswer({ input, output: new PassThrough() }, 'Delete? ');
  input.write(typed);
  if (isEnd) input.end();
  return answer;
}

describe('the answer to a question', () => {
  it('is the line that was typed', async () => {
    expect(await answerTo('yes\n')).toBe('yes');
  });

  it.each([
    ['an interrupt', '\u0003'],
    ['the end of the input', '\u0004'],
  ])('is empty after %s, which is no error of the program', async (_, typed) => {
    expect(await answerTo(typed)).toBe('');
  });

  it('is empty when the input closes', async () => {
    expect(await answerTo('', true)).toBe('');
  });
});
