import { Command as Parser, CommanderError, Option } from 'commander';
import { OUTPUT_FORMATS, type Arguments, type Command, type OptionSpec } from './command.js';
import { usageError } from './failures.js';
import { suggestWord } from './suggest.js';

/** Every command has these. */
export const COMMON_OPTIONS: Readonly<Record<string, OptionSpec>> = {
  profile: { value: 'name', summary: 'use this stored login' },
  json: { summary: 'print JSON, for programs' },
  format: {
    value: 'format',
    summary: 'how to print the result; name prints the ids alone',
    choices: OUTPUT_FORMATS,
    short: 'o',
  },
  help: { summary: 'print this help', short: 'h' },
};

type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;

/** The words of a command line, and the common options before them, such as `--profile staging`. */
export interface SplitWords {
  leading: string[];
  words: string[];
}

function findCommonOption(word: string): OptionSpec | undefined {
  if (word.startsWith('--')) return COMMON_OPTIONS[word.slice(2)];
  return Object.values(COMMON_OPTIONS).find(({ short }) => word === `-${short}`);
}

export function splitLeadingOptions(given: readonly string[]): SplitWords {
  let count = 0;
  for (let word = given[0]; word?.startsWith('-') === true; word = given[count]) {
    // An unknown option is left for the parser.
    const takesValue = findCommonOption(word)?.value !== undefined;
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

/** The reason of the parser in the words of this program, with the nearest option for an unknown one. */
function reasonOf({ message }: CommanderError, known: readonly string[]): string {
  const [, flag] = /unknown option '([^'=]+)/.exec(message) ?? [];
  if (flag === undefined) return message.replace(/^error: option '([^' ]+)[^']*'/, "Option '$1 <value>'");
  const name = flag.replace(/^--?/, '');
  if (known.includes(name)) return `Option '${flag}' does not take an argument`;
  const nearest = suggestWord(name, known);
  const reason = `Unknown option '${flag}'`;
  return nearest === undefined ? reason : `${reason}; did you mean --${nearest}?`;
}

/** @throws CommandError for an option in place of a value: most likely the value was forgotten */
function checkAmbiguity(options: Readonly<Record<string, OptionSpec>>, words: readonly string[]): void {
  const end = words.indexOf('--');
  const places = end === -1 ? words : words.slice(0, end);
  const isValued = (word: string) =>
    Object.entries(options).some(
      ([name, { value, short }]) => value !== undefined && (word === `--${name}` || word === `-${short}`),
    );
  const found = places.findIndex((word, index) => isValued(word) && /^-./.test(places[index + 1] ?? ''));
  if (found === -1) return;
  const flag = places[found];
  throw usageError(`Option '${flag}' argument is ambiguous`);
}

function createParser(options: Readonly<Record<string, OptionSpec>>): Parser {
  const parser = new Parser().helpOption(false).exitOverride().allowExcessArguments();
  // Errors are reported by this program.
  parser.configureOutput({ writeErr: () => {}, outputError: () => {} }).showSuggestionAfterError(false);
  for (const [name, { value, short, isMultiple = false }] of Object.entries(options)) {
    const flags = `${short === undefined ? '' : `-${short}, `}--${name}`;
    const option = new Option(value === undefined ? flags : `${flags} <${value}>`);
    if (isMultiple) option.argParser((text: string, texts: string[] | undefined) => [...(texts ?? []), text]);
    parser.addOption(option);
  }
  return parser;
}

function parse(command: Command, words: string[]): { values: Values; positionals: string[] } {
  const known = optionsOf(command);
  checkAmbiguity(known, words);
  try {
    const parser = createParser(known).parse(words, { from: 'user' });
    const given = parser.opts<Values>();
    const values = parser.options.map((option) => [option.name(), given[option.attributeName()]] as const);
    return { values: Object.fromEntries(values), positionals: parser.args };
  } catch (error) {
    if (error instanceof CommanderError) throw usageError(reasonOf(error, Object.keys(known)));
    throw error;
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
  if (given.length > positionals.length && positionals.at(-1)?.isMultiple !== true)
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
    positionals: () => words,
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
