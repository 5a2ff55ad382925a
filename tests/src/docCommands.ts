import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { childEnvironment } from '@gatehouse/service';

export const repository = fileURLToPath(new URL('../../', import.meta.url));

/** A block of shell commands of a page, or of a file that the page lets the reader save. */
export interface CommandBlock {
  /** The page, from the root of the repository. */
  page: string;
  line: number;
  text: string;
  /** What the page shows as the output of the block; null if it shows none. */
  output: string | null;
}

/** The language of a block, the rest of that line, and the text. */
const FENCE = /^[ \t]*```(\w+)(?: ([^\n]+))?\n([^]*?)^[ \t]*```$/gm;
const SHELLS = ['sh', 'bash', 'shell', 'console'];
const END_OF_FILE = 'END_OF_FILE';

const saveFile = (path: string, text: string): string =>
  `mkdir -p "$(dirname ${path})"\ncat > ${path} <<'${END_OF_FILE}'\n${text}${END_OF_FILE}\n`;

/** The blocks of a page that a reader runs or saves, in their order. */
export async function readBlocks(page: string): Promise<CommandBlock[]> {
  const content = await readFile(join(repository, page), 'utf8');
  const blocks: CommandBlock[] = [];
  for (const { index, 1: language = '', 2: info = '', 3: text = '' } of content.matchAll(FENCE)) {
    const place = { page, line: content.slice(0, index).split('\n').length };
    const former = blocks.at(-1);
    if (SHELLS.includes(language)) blocks.push({ ...place, text, output: null });
    else if (info === 'output' && former) former.output = text;
    else if (info !== '') blocks.push({ ...place, text: saveFile(info, text), output: null });
  }
  return blocks;
}

/** The block of a page that holds a text. */
export async function findBlock(page: string, text: string): Promise<CommandBlock> {
  const found = (await readBlocks(page)).find((block) => block.text.includes(text));
  if (found === undefined) throw new Error(`${page} has no command with ${text}`);
  return found;
}

/** What a command printed and how it ended. */
export interface Outcome {
  code: number;
  output: string;
  errors: string;
}

interface RunOptions {
  folder: string;
  environment: Readonly<Record<string, string>>;
  /** When bash is killed; 0 is never. */
  timeoutMs?: number;
}

/** Runs commands as a page has them, by one bash, which ends at the first that fails. */
export function runCommands(
  commands: string,
  { folder, environment, timeoutMs = 0 }: RunOptions,
): Promise<Outcome> {
  // What a page does not set is as it is without settings, whatever the tests run with.
  const unset = { MONGODB_URL: '', NATS_URL: '', SEALING_KEYS: '', BASH_ENV: '' };
  const env = childEnvironment({ ...unset, ...environment });
  const options = { cwd: folder, env, maxBuffer: 2 ** 26, timeout: timeoutMs };
  return new Promise((resolve) => {
    // A shell whose input is a socket reads the settings of remote shells, if no other shell started it.
    execFile('bash', ['--norc', '-euo', 'pipefail', '-c', commands], options, (error, output, errors) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, output, errors });
    });
  });
}

/** A folder that is to a shell what a fresh clone is: the same scripts and packages, and no data. */
export interface Clone extends AsyncDisposable {
  path: string;
  /** Runs commands as a page has them, on the clone's own data. */
  run(commands: string, environment?: Readonly<Record<string, string>>): Promise<Outcome>;
}

const CLONED = ['package.json', 'scripts', 'dev', 'apps', 'packages', 'docs', 'infra', 'node_modules'];

/**
 * Creates such a folder. Its content is links to the repository, except the names in `copied`: files that a
 * test changes, and scripts that look for their own folder.
 */
export async function makeClone(copied: readonly string[] = []): Promise<Clone> {
  const path = await mkdtemp(join(tmpdir(), 'gatehouse-clone-'));
  await Promise.all(
    CLONED.map((name) => {
      const [from, to] = [join(repository, name), join(path, name)];
      return copied.includes(name) ? cp(from, to, { recursive: true }) : symlink(from, to);
    }),
  );
  return {
    path,
    run: (commands, environment = {}) => runCommands(commands, { folder: path, environment }),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
