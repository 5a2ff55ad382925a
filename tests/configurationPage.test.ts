import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeClone, readBlocks } from './src/docCommands.js';
import { startTestStandalone } from './src/servers.js';

const PAGE = 'docs/tutorials/configuration-in-git.md';

it('the commands of the page on configuration in git work after a fresh start', async () => {
  await using clone = await makeClone();
  await using _server = await startTestStandalone({ DATA_DIR: join(clone.path, '.data'), DEMO: '1' });
  const blocks = await readBlocks(PAGE);
  const script = blocks.map(({ text, line }) => `# ${PAGE}:${line}\n${text}`).join('\n');
  const { code, output, errors } = await clone.run(script, {});
  expect({ code, errors, output: code === 0 ? '' : output.slice(-2000) }).toMatchObject({
    code: 0,
    output: '',
  });
  expect(output).toContain('+ create group "Finance reviewers"');
  expect(output).toContain('description: "Changed by hand" → ""');
  expect(output).toContain('+description: Changed by hand');
});
