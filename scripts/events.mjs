/**
 * The events that consumers gave up, on both buses.
 *
 *     npm run events -- list   [--consumer <name>] [--json]
 *     npm run events -- replay [--id <event id>] [--consumer <name>] [--wait <seconds>] [--json]
 *     npm run events -- drop   [--id <event id>] [--consumer <name>] [--all] [--json]
 *
 * Exit codes: 0 all was done, 1 letters to be replayed remain,
 * 2 invalid arguments, 3 no store or bus was found.
 */
import { parseArgs } from 'node:util';
import { openDeadLetterStores } from './events/deadLetterStores.mjs';
import { formatLetters } from './events/table.mjs';

const USAGE = `npm run events -- list   [--consumer <name>] [--json]
npm run events -- replay [--id <event id>] [--consumer <name>] [--wait <seconds>] [--json]
npm run events -- drop   [--id <event id>] [--consumer <name>] [--all] [--json]`;
const DEFAULT_WAIT_SECONDS = 35;

/**
 * Turns `--id X` into `--id=X`. One event id in 64 begins with a hyphen, which `parseArgs` would read as an
 * option.
 * @param {string[]} args
 */
function joinIds(args) {
  const index = args.indexOf('--id');
  if (index === -1 || index + 1 === args.length) return args;
  return args.toSpliced(index, 2, `--id=${args[index + 1]}`);
}

function readArguments() {
  const { positionals, values } = parseArgs({
    args: joinIds(process.argv.slice(2)),
    allowPositionals: true,
    options: {
      id: { type: 'string' },
      consumer: { type: 'string' },
      wait: { type: 'string', default: String(DEFAULT_WAIT_SECONDS) },
      all: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const [command, ...rest] = positionals;
  if (command !== 'list' && command !== 'replay' && command !== 'drop') throw new TypeError('Which command?');
  if (rest.length > 0) throw new TypeError(`Unexpected: ${rest.join(' ')}`);
  const waitMs = Number(values.wait) * 1000;
  if (!(waitMs >= 0)) throw new TypeError('--wait takes a number of seconds');
  const isSelective = values.id !== undefined || values.consumer !== undefined;
  if (command === 'drop' && !isSelective && !values.all) {
    throw new TypeError('drop takes --id, --consumer or --all');
  }
  return { command, ...values, waitMs };
}

/** @typedef {import('./events/deadLetterStores.mjs').OpenStore} OpenStore */
/** @typedef {import('./events/table.mjs').ShownLetter} ShownLetter */

/**
 * @param {OpenStore} open
 * @param {ReturnType<typeof readArguments>} wanted
 * @returns {Promise<ShownLetter[]>}
 */
async function handleBox({ bus, box }, { command, id, consumer }) {
  const letters = (await box.list()).filter(
    (letter) =>
      (id === undefined || letter.event.id === id) &&
      (consumer === undefined || letter.consumer === consumer),
  );
  /** @type {ShownLetter[]} */
  const shown = [];
  for (const letter of letters) {
    if (command === 'list') shown.push({ bus, letter, outcome: 'kept' });
    else if (command === 'replay') shown.push({ bus, letter, outcome: await box.replay(letter) });
    else {
      await box.drop(letter);
      shown.push({ bus, letter, outcome: 'dropped' });
    }
  }
  return shown;
}

/** @param {ReturnType<typeof readArguments>} wanted */
async function run(wanted) {
  const opened = await openDeadLetterStores(wanted.waitMs);
  try {
    const shown = (await Promise.all(opened.boxes.map((open) => handleBox(open, wanted)))).flat();
    for (const note of opened.notes) process.stderr.write(`${note}\n`);
    if (opened.boxes.length === 0) return 3;
    const json = shown.map(({ bus, letter, outcome }) => ({ bus, ...letter, outcome }));
    process.stdout.write(wanted.json ? `${JSON.stringify(json, null, 2)}\n` : formatLetters(shown));
    return shown.some(({ outcome }) => outcome === 'failed' || outcome === 'waiting') ? 1 : 0;
  } finally {
    await opened.close();
  }
}

/** @param {unknown} error */
const messageOf = (error) => (error instanceof Error ? error.message : String(error));

async function main() {
  let wanted;
  try {
    wanted = readArguments();
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n${USAGE}\n`);
    return 2;
  }
  try {
    return await run(wanted);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    return 3;
  }
}

process.exitCode = await main();
