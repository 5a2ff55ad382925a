import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findBlock, makeClone } from './src/docCommands.js';

/** An engine on this machine would be found regardless of variables, and run the whole suite. */
const ENGINE = '/var/run/docker.sock';
const LINE = '0 passed, 0 failed: all container tests are skipped, because no container engine answers';

it.skipIf(existsSync(ENGINE))(
  'the container suite prints one line and succeeds if no engine responds',
  async () => {
    const { text } = await findBlock('docs/containers.md', 'npm run test:containers');
    await using clone = await makeClone();
    const environment = { DOCKER_HOST: 'tcp://127.0.0.1:1', HOME: clone.path, XDG_RUNTIME_DIR: clone.path };
    const { code, output } = await clone.run(text, environment);
    expect({ code, line: output.trim().split('\n').at(-1) }).toEqual({ code: 0, line: LINE });
  },
);
