import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkText } from './checkText.mjs';
import { identifiers } from './phrases.mjs';

const problemsOf = (file: string, text: string) =>
  checkText(file, text).map(({ line, problem }) => `${line} ${problem}`);

/** A text with each banned phrase, and the part of it that is reported. */
const planted: readonly (readonly [text: string, found: string])[] = [
  ['the service is asked over REST', 'asked'],
  ['asks nobody for permission', 'asks'],
  ['callers are told of a grant', 'told'],
  ['the field says which', 'says'],
  ['is answered with 404', 'answered with 404'],
  ['a service that it lets in', 'lets in'],
  ['Whoever requests it', 'Whoever'],
  ['nobody takes connections', 'nobody'],
  ['somebody else', 'somebody'],
  ['before anybody calls', 'anybody'],
  ['shown to everybody', 'everybody'],
  ['the record is gone', 'is gone'],
  ['an event is there twice', 'is there twice'],
  ['this is no token', 'is no token'],
  ['d_2 is one word too many', 'one word too many'],
  ['all tries were in vain', 'in vain'],
  ['what was not used of late', 'of late'],
  ['reads the stream as it comes', 'as it comes'],
  ['by and by', 'by and by'],
  ['it is stored all the same', 'all the same'],
  ['the platform is started anew', 'anew'],
  ['measured by turns', 'by turns'],
  ['looks now and then', 'now and then'],
  ['for the most part', 'for the most part'],
  ['whence it came', 'whence'],
  ['what is better looked at', 'better looked at'],
];

const accepted = [
  'The service returns 404 with the response body.',
  'Users ask the assistant about the data of a dashboard.',
  'This page tells you how to set up the project.',
  'There is no token in the request.',
  'Each request is a task with a mask; the basket is here.',
  "A user's token, the services' keys.",
  'The server returns 410 Gone.',
];

describe('a banned phrase', () => {
  it.each(planted)('is found in a comment: %s', (text, found) => {
    const problem = expect.stringContaining(`"${found}"`);
    expect(problemsOf('a.ts', `// ${text}\n`)).toContainEqual(problem);
    expect(problemsOf('a.ts', `/**\n * Before.\n * ${text}\n */\n`)).toContainEqual(problem);
    expect(problemsOf('a.yaml', `# ${text}\n`)).toContainEqual(problem);
    expect(problemsOf('a.md', `${text}\n`)).toContainEqual(problem);
  });

  it.each(planted)('is found in a string literal: %s', (text, found) => {
    const problem = expect.stringContaining(`"${found}"`);
    for (const quote of ["'", '"', '`'])
      expect(problemsOf('a.test.ts', `it(${quote}x: ${text}${quote});`)).toContainEqual(problem);
  });

  it('is found across the lines of a comment', () => {
    expect(problemsOf('a.ts', '// this one is\n// gone\n')).toEqual(['1 "is gone"']);
  });

  it('is not found in code, patterns and strings of one word', () => {
    const text = "const nobody = whoever(told, 'somebody', /nobody says/, `${asked}`);";
    expect(problemsOf('a.ts', text)).toEqual([]);
  });

  it('is found in the literals of a placeholder', () => {
    expect(problemsOf('a.ts', "`a ${b({ c: 'it is gone' })} d`")).toEqual(['1 "is gone"']);
  });

  it.each(accepted)('is not in: %s', (text) => {
    expect(problemsOf('a.md', text)).toEqual([]);
  });
});

describe('a contraction', () => {
  it.each(["it doesn't", "it's", 'they’re', "we'll"])('is found: %s', (text) => {
    expect(problemsOf('a.md', text)).toHaveLength(1);
    expect(problemsOf('a.ts', `const x = 1; // ${text}`)).toHaveLength(1);
  });

  it('may be data in a string literal', () => {
    expect(problemsOf('a.ts', `const x = "it doesn't match";`)).toEqual([]);
  });
});

it.each(Object.keys(identifiers))('finds the former identifier %s', (name) => {
  expect(problemsOf('a.ts', `\nexport const x = ${name}();`)).toEqual([`2 ${name}`]);
  expect(problemsOf('a.ts', `export const x = ${name}s();`)).toEqual([]);
});

describe('a line of more than 110 characters', () => {
  const words = 'word '.repeat(22);

  it.each([
    ['a.md', `${words}x`],
    ['a.ts', `// ${words}`],
    ['a.ts', `const x = 1; /* ${words} */ const y = '${words}';`],
    ['a.test.ts', `it('${words}', () => {});`],
    ['a.yaml', `a: ${words}`],
  ])('is found in %s: %s', (file, text) => {
    expect(problemsOf(file, text)).toEqual([`1 a line of ${text.length} characters`]);
  });

  it.each([
    ['a.md', `- https://example.com/${'x'.repeat(110)}`],
    ['a.ts', `// https://example.com/${'x'.repeat(110)}`],
    ['a.ts', `const x = '${words}';`],
    ['a.ts', `const x = \`\n${words}\n\`;`],
    ['a.md', 'x'.repeat(100)],
  ])('is accepted in %s if it cannot be broken: %s', (file, text) => {
    expect(problemsOf(file, text)).toEqual([]);
  });
});

/** Runs the check in a new git repository with the files. */
async function runCheck(files: Readonly<Record<string, string>>) {
  const folder = await mkdtemp(path.join(tmpdir(), 'gatehouse-words-'));
  try {
    execFileSync('git', ['init', '--quiet', folder]);
    for (const [file, text] of Object.entries(files)) {
      await mkdir(path.join(folder, path.dirname(file)), { recursive: true });
      await writeFile(path.join(folder, file), text);
    }
    const program = path.resolve(import.meta.dirname, '../words.mjs');
    const output = execFileSync(
      'sh',
      ['-c', `"${process.execPath}" "${program}" "${folder}"; echo "code $?"`],
      {
        encoding: 'utf8',
      },
    );
    return output.trim().split('\n');
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('the check of a repository', () => {
  it('prints the file, the line, the phrase and a suggestion, and exits with code 1', async () => {
    const files = {
      'docs/a.md': 'A page.\n\nNobody reads it.\n',
      'src/b.ts': '// Whoever calls\n',
      'c.json': '"nobody"',
    };
    expect(await runCheck(files)).toEqual([
      'docs/a.md:3: "Nobody"; use: no caller, no user, no process',
      'src/b.ts:1: "Whoever"; use: the caller, the user who',
      '2 findings in 2 files',
      'code 1',
    ]);
  });

  it('exits with code 0 if there are no findings', async () => {
    expect(await runCheck({ 'a.md': 'A page.\n' })).toEqual(['0 findings in 1 files', 'code 0']);
  });
});
