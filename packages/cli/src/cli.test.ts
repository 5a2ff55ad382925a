import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { commands } from './commands/index.js';
import { runRecorded } from './testing/commandRun.js';
import { startRecordingServer, type RecordingServer } from './testing/recordingServer.js';

describe('help', () => {
  it.each(['--help', '-h', 'help'])('%s lists all commands', async (word) => {
    const { exitCode, output } = await runRecorded([word]);
    expect(exitCode).toBe(0);
    const shown = commands.filter(({ isHidden }) => isHidden !== true);
    for (const { name, isOperation } of shown) {
      const [noun = '', verb = ''] = name.split(' ');
      const row = isOperation === true ? new RegExp(`^  ${noun} .*\\b${verb}\\b`, 'm') : `  ${name} `;
      expect(output).toMatch(row);
    }
  });

  it.each([
    [['dashboards', '--help']],
    [['dashboards', '-h']],
    [['-h', 'dashboards']],
    [['help', 'dashboards']],
  ])('%j lists the commands of a group', async (words) => {
    const { exitCode, output } = await runRecorded(words);
    expect(exitCode).toBe(0);
    expect(output).toMatch(/^gatehouse dashboards <command>/);
    expect(output).toContain('dashboards delete');
    expect(output).not.toContain('audit');
  });

  it.each(commands.map(({ name }) => [name]))('of %s is the same in all forms', async (name) => {
    const words = name.split(' ');
    const forms = [
      [...words, '--help'],
      [...words, '-h'],
      ['-h', ...words],
      ['help', ...words],
    ];
    const results = await Promise.all(forms.map(async (form) => runRecorded(form)));
    for (const { exitCode, output } of results)
      expect([exitCode, output]).toEqual([0, expect.stringContaining(`gatehouse ${name}`) as unknown]);
    expect(new Set(results.map(({ output }) => output)).size).toBe(1);
  });

  it('describes options as the API does, and takes the id of a new record as it is', async () => {
    const { output } = await runRecorded(['tenants', 'create', '-h']);
    expect(output).toMatch(/--id <text> +An id of your choice, [^\n]*generated\n/);
    const listed = await runRecorded(['policy-assignments', 'list', '-h']);
    expect(listed.output).toMatch(/--definition <id> +The id of the policy definition, by id or name\n/);
  });

  it.each([[[]], [['dashboards']]])('is printed for %j, which is no complete command', async (words) => {
    const { exitCode, output } = await runRecorded(words);
    expect([exitCode, output]).toEqual([2, expect.stringMatching(/^gatehouse .*<command>/)]);
  });

  it('of the version is that of the package', async () => {
    const file = await readFile(new URL('../package.json', import.meta.url), 'utf8');
    const { version } = JSON.parse(file) as { version: string };
    expect(await runRecorded(['--version'])).toMatchObject({ exitCode: 0, output: `${version}\n` });
  });
});

describe('a mistyped word', () => {
  it.each([
    [['dashbord', 'list'], 'Did you mean gatehouse dashboards list?'],
    [['dashboards', 'lsit'], 'Did you mean gatehouse dashboards list?'],
    [['dashbord', 'lsit'], 'Did you mean gatehouse dashboards list?'],
    [['dashbords'], 'Did you mean gatehouse dashboards?'],
    [['validat', '--all'], 'Did you mean gatehouse validate?'],
    [['help', 'whoamy'], 'Did you mean gatehouse whoami?'],
    [['dashboards', 'list', '--tags=finance'], "Unknown option '--tags'; did you mean --tag?"],
    [['dashboards', 'list', '--serach', 'x'], "Unknown option '--serach'; did you mean --search?"],
  ])('in %j gets the nearest one', async (words, hint) => {
    const { exitCode, errors } = await runRecorded(words);
    expect([exitCode, errors]).toEqual([2, expect.stringContaining(hint)]);
  });

  it.each([
    [['kubernetes']],
    [['dashboards', 'explode']],
    [['dashboards', 'list', '--kubernetes']],
    [['list', '-x']],
  ])('in %j gets none that is far', async (words) => {
    const { exitCode, errors } = await runRecorded(words);
    expect([exitCode, errors]).toEqual([2, expect.not.stringMatching(/did you mean/i)]);
  });
});

describe('a deletion', () => {
  let server: RecordingServer;
  beforeAll(async () => {
    server = await startRecordingServer();
  });
  afterAll(async () => server[Symbol.asyncDispose]());
  beforeEach(() => {
    server.requests.length = 0;
  });
  const remove = (words: string[], responses?: string[]) =>
    runRecorded(['dashboards', 'delete', 'd_1', ...words], {
      environment: { url: server.baseUrl, token: 'x.x.x' },
      ...(responses && { responses }),
    });
  const get = 'GET /api/management/v1/dashboards/d_1';
  const deletion = 'DELETE /api/management/v1/dashboards/d_1';

  it('names the record and the server before it is confirmed', async () => {
    const { exitCode, questions } = await remove([], ['y']);
    expect(questions).toEqual([
      `Permanently delete the dashboard Title of d_1 (d_1) on ${server.baseUrl}? [y/N] `,
    ]);
    expect([exitCode, server.requests]).toEqual([0, [get, deletion]]);
  });

  it.each(['', 'n', 'no', 'yesterday'])('is not carried out after the response %j', async (response) => {
    const { exitCode, errors } = await remove([], [response]);
    expect([exitCode, errors]).toEqual([2, 'gatehouse: Not confirmed: nothing was deleted\n']);
    expect(server.requests).toEqual([get]);
  });

  it('with --yes needs no confirmation', async () => {
    const { exitCode, questions } = await remove(['--yes'], []);
    expect([exitCode, questions, server.requests]).toEqual([0, [], [deletion]]);
  });

  it('without a terminal requires --yes, and sends nothing', async () => {
    const { exitCode, errors } = await remove([]);
    expect([exitCode, errors]).toEqual([2, expect.stringContaining('add --yes')]);
    expect(server.requests).toEqual([]);
  });
});
