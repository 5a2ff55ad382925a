import { createClient } from '@gatehouse/client';
import { stringify } from 'yaml';
import { findCommand, readArguments, splitLeadingOptions, type SplitWords } from './arguments.js';
import { OUTPUT_FORMATS as FORMATS } from './command.js';
import type { Arguments, Command, Context, Outcome, OutputFormat } from './command.js';
import { commands } from './commands/index.js';
import { readAccount } from './account.js';
import type { Account } from './credentials.js';
import type { Environment } from './environment.js';
import { EXIT_CODES, type ExitCode } from './exitCodes.js';
import { describeFailure, usageError, CommandError } from './failures.js';
import { formatCommandHelp, formatGroupHelp, formatHelp } from './help.js';
import { resolveNames } from './names/resolveNames.js';
import { formatIds } from './operations/formatAnswer.js';
import { suggestCommand } from './suggest.js';
import { escapeControls, showable, type Terminal } from './terminal.js';
import { isValidateOnly } from './validateOnly.js';
import { readVersion } from './version.js';

function createContext(terminal: Terminal, environment: Environment, given: Arguments): Context {
  const profile = given.text('profile');
  const account = () => readAccount(environment, profile);
  return {
    terminal,
    environment,
    format: given.flag('json')
      ? 'json'
      : (FORMATS.find((format) => format === given.text('format')) ?? 'table'),
    profile,
    account,
    client: async () => connect(await account()),
  };
}

/** A client of an account. */
function connect({ baseUrl, access }: Account) {
  return createClient({
    baseUrl,
    ...('accessToken' in access ? { accessToken: access.accessToken } : { credentials: access }),
  });
}

const FORMATTERS: Readonly<Record<OutputFormat, (outcome: Outcome) => string>> = {
  table: ({ text }) => text,
  json: ({ json }) => escapeControls(`${JSON.stringify(json, null, 2)}\n`),
  yaml: ({ json }) => escapeControls(stringify(json, { lineWidth: 0, aliasDuplicateObjects: false })),
  name: ({ json }) => formatIds(json),
};

async function show(outcome: Outcome, { terminal, format }: Context): Promise<void> {
  await terminal.write(FORMATTERS[format](outcome));
}

/** Before any request: a script without the option never gets as far as the server. */
function requireConfirmable({ deletes }: Command, given: Arguments, { terminal }: Context): void {
  if (deletes === undefined || given.flag('yes') || isValidateOnly(given) || terminal.isInteractive) return;
  throw usageError(`Deleting a ${deletes} is permanent: add --yes`);
}

const isHelp = (word: string | undefined) => word === '--help' || word === '-h';

/** The help of a command, of the commands that begin with a word, or of all; null for an unknown word. */
function findHelp(words: readonly string[]): string | null {
  const [first] = words;
  if (first === undefined) return formatHelp(commands);
  const found = findCommand(commands, { leading: [], words: [...words] });
  if (found) return formatCommandHelp(found.command);
  const group = commands.filter(({ name }) => name.startsWith(`${first} `));
  return group.length === 0 || words.length > 1 ? null : formatGroupHelp(first, group);
}

function unknownCommand(words: readonly string[]): CommandError {
  const nearest = suggestCommand(commands, words);
  const hint = nearest === undefined ? 'See gatehouse --help' : `Did you mean gatehouse ${nearest}?`;
  return usageError(`Unknown command: ${words.slice(0, 2).join(' ')}. ${hint}`);
}

/** What is printed instead of running a command; null for a command. */
function findInformation({ leading, words }: SplitWords): { text: string; exitCode: ExitCode } | null {
  const isRequested = leading.some(isHelp) || words[0] === 'help' || isHelp(words[1]);
  if (leading.includes('--version')) return { text: `${readVersion()}\n`, exitCode: EXIT_CODES.ok };
  const isCommand = findCommand(commands, { leading, words }) !== null;
  if (isCommand && !leading.some(isHelp)) return null;
  const text = findHelp(words[0] === 'help' ? words.slice(1) : words.filter((word) => !isHelp(word)));
  if (text === null) return null;
  return { text, exitCode: isRequested ? EXIT_CODES.ok : EXIT_CODES.usage };
}

async function runNamed(command: Command, given: Arguments, context: Context): Promise<Outcome | null> {
  return command.run(await resolveNames(command, given, context), context);
}

async function run(given: string[], terminal: Terminal, environment: Environment): Promise<ExitCode> {
  const split = splitLeadingOptions(given);
  const information = findInformation(split);
  if (information) {
    await terminal.write(information.text);
    return information.exitCode;
  }
  const found = findCommand(commands, split);
  if (!found) throw unknownCommand(split.words[0] === 'help' ? split.words.slice(1) : split.words);
  const { command, rest } = found;
  const options = readArguments(command, rest);
  if (!options) {
    await terminal.write(formatCommandHelp(command));
    return EXIT_CODES.ok;
  }
  const context = createContext(terminal, environment, options);
  requireConfirmable(command, options, context);
  const outcome = await runNamed(command, options, context).catch((error: unknown) => {
    const isUsage = error instanceof CommandError && error.exitCode === EXIT_CODES.usage;
    throw isUsage ? new CommandError(command.usageExitCode ?? EXIT_CODES.usage, error.message) : error;
  });
  if (outcome) await show(outcome, context);
  return outcome?.exitCode ?? EXIT_CODES.ok;
}

/** Runs the command that the words name, and returns the exit code. Each error is printed in one line. */
export async function runCommand(
  words: string[],
  terminal: Terminal,
  environment: Environment,
): Promise<ExitCode> {
  try {
    return await run(words, terminal, environment);
  } catch (error) {
    const { message, exitCode } = describeFailure(error);
    terminal.writeError(`gatehouse: ${showable(message)}\n`);
    return exitCode;
  }
}

export { commandOfOperation } from './operations/operationCommands.js';
