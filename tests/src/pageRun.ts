import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeDataDir } from '@gatehouse/testing';
import { makeClone, runCommands, type CommandBlock } from './docCommands.js';
import { spawnServer, type Settings } from './servers.js';

/** Printed after the output of each block; occurs in none of them. */
const SEPARATOR = '\u001e';

/**
 * An error response ends the commands, unless they print the status themselves. What a page starts in the
 * background ends with its commands.
 */
const PRELUDE = `
curl() { case " $* " in *' -w '*) command curl "$@" ;; *) command curl --fail-with-body "$@" ;; esac; }
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
`;

/** Only a page that waits for something that never happens takes this long. */
const HUNG_MS = 10 * 60_000;

/** A block that starts the platform, with the variables of its settings in front. */
const START = /^((?:[A-Z_]+=\S+ )*)npm start$/;

const isStart = ({ text }: CommandBlock): boolean => START.test(text.trim());

/** The settings with which the pages start the platform. */
async function readSettings(blocks: readonly CommandBlock[], environment: Environment): Promise<Settings> {
  const assignments = blocks.map(({ text }) => START.exec(text.trim())?.[1] ?? '').join('');
  const names = [...assignments.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name);
  const print = `${assignments} node -p 'JSON.stringify(process.env)'`;
  const { output } = await runCommands(print, { folder: process.cwd(), environment });
  const values = JSON.parse(output) as Environment;
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

type Environment = Readonly<Record<string, string>>;

/** How the blocks of a page ended: `failure` is empty if all of them succeeded. */
export interface PageRun {
  failure: string;
  /** What each block printed, beside what the page shows; only of the blocks for which it shows something. */
  outputs: { page: string; line: number; printed: unknown[]; shown: unknown[] }[];
}

/** The same for the first start and for the copies of its data. */
const COMMON = { DEMO: '1', MONGODB_PREFIX: 'pages' } as const;

/** The data directory of a first start, which each page continues on a copy of its own. */
export interface FirstStart extends AsyncDisposable {
  dataDir: string;
}

/** Starts the platform on an empty data directory, with the demo, and stops it. */
export async function startFirst(): Promise<FirstStart> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-first-'));
  await using server = await spawnServer('standalone', { ...COMMON, DATA_DIR: dataDir });
  await server.stop();
  return { dataDir, [Symbol.asyncDispose]: () => removeDataDir(dataDir) };
}

interface PageOptions {
  environment: Environment;
  first: FirstStart;
}

/**
 * Runs the blocks of one page or several in their order, those of each page in one bash, in an empty clone.
 * The platform starts for them alone, on a copy of the data of a first start: loading the demo takes most of
 * the CPU time of a page.
 */
export async function runPage(
  blocks: readonly CommandBlock[],
  { environment, first }: PageOptions,
): Promise<PageRun> {
  await using clone = await makeClone();
  const settings = await readSettings(blocks, environment);
  const dataDir = join(clone.path, '.data');
  await cp(first.dataDir, dataDir, { recursive: true });
  await using server = await spawnServer('standalone', { ...COMMON, ...settings, DATA_DIR: dataDir });
  const commands = blocks.filter((block) => !isStart(block));
  const texts = commands.map(({ page, line, text }) => `# ${page}:${line}\n${text}\nprintf '\\036'\n`);
  const shells = commands.map(({ page }, index) => {
    const isFirst = page !== commands[index - 1]?.page;
    const isLast = page !== commands[index + 1]?.page;
    return `${isFirst ? `(\n${PRELUDE}` : ''}${texts[index]}${isLast ? ')\n' : ''}`;
  });
  const script = shells.join('').replaceAll('http://127.0.0.1:8080', server.baseUrl);
  const options = { folder: clone.path, environment, timeoutMs: HUNG_MS };
  const { code, output, errors } = await runCommands(script, options);
  const printed = output.split(SEPARATOR);
  return {
    failure: code === 0 ? '' : `${errors}\n${output.slice(-1000)}`,
    outputs: commands.flatMap(({ page, line, output: shown }, index) =>
      shown === null
        ? []
        : [{ page, line, printed: comparable(printed[index] ?? ''), shown: comparable(shown) }],
    ),
  };
}

/** Replaces values that differ between runs: tokens, secrets, generated ids, and times. */
function normalize(text: string): string {
  return text
    .replaceAll(/eyJ[\w.-]+/g, '<token>')
    .replaceAll(/(?<![\w-])([a-z]{1,3})_[\w-]{16}(?![\w-])/g, '<$1>')
    .replaceAll(/"secret":\s*"[\w-]{43}"/g, '"secret": "<secret>"')
    .replaceAll(/"requestId":\s*"[\w-]+"/g, '"requestId": "<request>"')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>');
}

/** JSON is compared as JSON, so that a page may break its lines; a status after it is compared as text. */
export function comparable(answer: string): unknown[] {
  const text = normalize(answer).trim();
  const end = text.lastIndexOf('}') + 1;
  try {
    return [JSON.parse(text.slice(0, end)) as unknown, text.slice(end).trim()];
  } catch {
    return [text];
  }
}
