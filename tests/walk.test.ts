import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { spawnServer } from './src/servers.js';

const run = promisify(execFile);
const README = new URL('../README.md', import.meta.url);
/** Printed between the outputs of two blocks; occurs in none of them. */
const SEPARATOR = '\u001e';

interface Step {
  command: string;
  answer: string;
}

/** The shell blocks of the walk, each with the following block of output. */
function readSteps(readme: string): Step[] {
  const [, section = ''] = /^## A five-minute walk\n([^]*?)\n## /m.exec(readme) ?? [];
  const blocks = [...section.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, kind, text = '']) => ({
    kind,
    text,
  }));
  return blocks.flatMap(({ kind, text }, index) => {
    if (kind !== 'sh') return [];
    const next = blocks[index + 1];
    if (next === undefined || next.kind === 'sh') throw new Error(`No answer follows:\n${text}`);
    return [{ command: text, answer: next.text }];
  });
}

/** Replaces values that differ between runs: tokens, secrets, generated ids, and times. */
function normalize(text: string): string {
  return text
    .replaceAll(/eyJ[\w.-]+/g, '<token>')
    .replaceAll(/"(d|sh|p|o|ou)_[\w-]{16}"/g, '"<$1>"')
    .replaceAll(/"secret":\s*"[\w-]{43}"/g, '"secret": "<secret>"')
    .replaceAll(/"requestId":\s*"[\w-]+"/g, '"requestId": "<request>"')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>');
}

/** JSON is compared as JSON, so that the page may break its lines; a status after it is compared as text. */
function comparable(answer: string): unknown[] {
  const text = normalize(answer).trim();
  if (!text.startsWith('{')) return [text];
  const end = text.lastIndexOf('}') + 1;
  return [JSON.parse(text.slice(0, end)) as unknown, text.slice(end).trim()];
}

describe('the walk in README.md', () => {
  it('prints, line by line, the responses of the page', async () => {
    const steps = readSteps(await readFile(README, 'utf8'));
    expect(steps.length).toBeGreaterThan(5);
    const clone = await mkdtemp(join(tmpdir(), 'gatehouse-walk-'));
    try {
      await using server = await spawnServer('standalone', { DATA_DIR: join(clone, '.data'), DEMO: '1' });
      expect(server.output()).toContain(server.baseUrl);
      const script = steps.map(({ command }) => `${command}\nprintf '\\036'\n`).join('');
      const { stdout } = await run('sh', ['-eu', '-c', script], { cwd: clone });
      const outputs = stdout.split(SEPARATOR).slice(0, -1);
      expect(outputs.map(comparable)).toEqual(steps.map(({ answer }) => comparable(answer)));
    } finally {
      await rm(clone, { recursive: true, force: true });
    }
  });

  it('begins with the request that the program itself prints, and that works unchanged', async () => {
    await using server = await spawnServer('standalone');
    const line = server
      .output()
      .split('\n')
      .find((text) => text.startsWith('curl '));
    const { stdout } = await run('sh', ['-eu', '-c', line ?? 'exit 1']);
    expect(comparable(stdout)).toEqual([{ accessToken: '<token>', expiresAt: '<time>' }, '']);
  });
});
