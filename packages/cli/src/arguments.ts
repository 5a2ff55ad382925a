import { parseArgs } from 'node:util';
import type { Arguments, Command, OptionSpec } from './command.js';
import { usageError } from './failures.js';
import { suggestWord } from './suggest.js';

/** Every command has these. */
export const COMMON_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  profile: { value: 'name', summary: 'use this stored login' },
  json: { summary: 'print JSON, for programs' },
  help: { summary: 'print this help', short: 'h' },
};

type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/** The words of a command line, and the common options before them, such as `--profile staging`. */
export interface SplitWords {
  leading: string[];
  words: string[];
}

export function splitLeadingOptions(given: readonly string[]): SplitWords {
  let count = 0;
  for (let word = given[0]; word?.startsWith('-') === true; word = given[count]) {
    // An unknown option is left for the parser.
    const takesValue = word.startsWith('--') && COMMON_OPTIONS[word.slice(2)]?.value !== undefined;
    count += takesValue ? 2 : 1;
  }
  return { leading: given.slice(0, count), words: given.slice(count) };
}

/** The command that the first words name, with the remaining words; null if they name none. */
export function findCommand(
  commands: readonly Command[],
  { leading, words }: SplitWords,
): { command: Command; rest: string[] } | null {
  // A command may have one word or two.
  for (const count of [2, 1]) {
    const name = words.slice(0, count).join(' ');
    const command = commands.find((known) => known.name === name);
    if (command) return { command, rest: [...leading, ...words.slice(count)] };
  }
  return null;
}

function optionsOf(command: Command): Readonly<Record<string, OptionSpec>> {
  return { ...command.options, ...COMMON_OPTIONS };
}

/** The first line of Node's message, which names the option, with the nearest option if that is unknown. */
function reasonOf(error: unknown, known: readonly string[]): string {
  const message = error instanceof Error ? error.message : String(error);
  const reason = message.split(/[.\n](?:\s|$)/)[0] ?? message;
  const [, unknown] = /^Unknown option '--([^']+)'/.exec(reason) ?? [];
  const nearest = unknown === undefined ? undefined : suggestWord(unknown, known);
  return nearest === undefined ? reason : `${reason}; did you mean --${nearest}?`;
}

function parse(command: Command, words: string[]) {
  const known = optionsOf(command);
  const options = Object.entries(known).map(([name, { value, short, isMultiple = false }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const);
    return [name, { type, multiple: isMultiple, ...(short !== undefined && { short }) }] as const;
  });
  try {
    return parseArgs({ args: words, allowPositionals: true, options: Object.fromEntries(options) });
  } catch (error) {
    throw usageError(reasonOf(error, Object.keys(known)));
  }
}

function checkValues(command: Command, values: Values): void {
  for (const [name, { choices, isRequired = false }] of Object.entries(optionsOf(command))) {
    const given = [values[name] ?? []].flat();
    if (isRequired && given.length === 0) throw usageError(`--${name} is required`);
    const wrong = choices && given.find((value) => !choices.includes(String(value)));
    if (wrong !== undefined) throw usageError(`--${name} is one of ${choices?.join(', ')}, not ${wrong}`);
  }
}

function checkPositionals({ positionals = [] }: Command, given: readonly string[]): void {
  const missing = positionals[given.length];
  if (missing && missing.isOptional !== true) throw usageError(`<${missing.name}> is missing`);
  if (given.length > positionals.length)
    throw usageError(`unexpected argument: ${given[positionals.length]}`);
}

function createArguments({ positionals = [] }: Command, words: readonly string[], values: Values): Arguments {
  const positional = (name: string) => words[positionals.findIndex((known) => known.name === name)];
  const text = (option: string) => {
    const value = values[option];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    positional,
    required: (name) => positional(name) ?? '',
    text,
    texts: (option) => [values[option] ?? []].flat().map(String),
    flag: (option) => values[option] === true,
    count(option) {
      const value = text(option);
      if (value === undefined || /^[1-9]\d{0,8}$/.test(value))
        return value === undefined ? value : Number(value);
      throw usageError(`--${option} is a whole number from 1 up, not ${value}`);
    },
  };
}

/**
 * Parses the words after a command; null if they request help.
 *
 * @throws CommandError for arguments that the command does not accept
 */
export function readArguments(command: Command, words: string[]): Arguments | null {
  const { values, positionals } = parse(command, words);
  if (values['help'] === true) return null;
  checkValues(command, values);
  checkPositionals(command, positionals);
  return createArguments(command, positionals, values);
}
