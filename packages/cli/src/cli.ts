import { createClient } from '@gatehouse/client';
import { findCommand, readArguments } from './arguments.js';
import type { Arguments, Context, Outcome } from './command.js';
import { commands } from './commands/index.js';
import { readAccount } from './account.js';
import type { Account } from './credentials.js';
import type { Environment } from './environment.js';
import { EXIT_CODES, type ExitCode } from './exitCodes.js';
import { describeFailure, usageError } from './failures.js';
import { formatCommandHelp, formatHelp } from './help.js';
import { showable, type Terminal } from './terminal.js';

function createContext(terminal: Terminal, environment: Environment, given: Arguments): Context {
  const profile = given.text('profile');
  const account = () => readAccount(environment, profile);
  return {
    terminal,
    environment,
    isJson: given.flag('json'),
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

async function show({ json, text }: Outcome, { terminal, isJson }: Context): Promise<void> {
  await terminal.write(isJson ? `${JSON.stringify(json, null, 2)}\n` : text);
}

async function run(words: string[], terminal: Terminal, environment: Environment): Promise<ExitCode> {
  const [first] = words;
  if (first === undefined || first === '--help' || first === 'help') {
    await terminal.write(formatHelp(commands));
    return first === undefined ? EXIT_CODES.usage : EXIT_CODES.ok;
  }
  const found = findCommand(commands, words);
  if (!found)
    throw usageError(`There is no such command: ${words.slice(0, 2).join(' ')}. See gatehouse --help`);
  const { command, rest } = found;
  const given = readArguments(command, rest);
  if (!given) {
    await terminal.write(formatCommandHelp(command));
    return EXIT_CODES.ok;
  }
  const context = createContext(terminal, environment, given);
  const outcome = await command.run(given, context);
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
