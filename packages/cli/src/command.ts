import type { Client } from '@gatehouse/client';
import type { Account } from './credentials.js';
import type { Environment } from './environment.js';
import type { ExitCode } from './exitCodes.js';
import type { Terminal } from './terminal.js';

/** An option of a command. */
export interface OptionSpec {
  summary: string;
  /** Stands for the value in `--help`; an option without one is a flag. */
  value?: string;
  /** The values that there are. */
  choices?: readonly string[];
  /** May be given several times. */
  isMultiple?: boolean;
  isRequired?: boolean;
}

export interface PositionalSpec {
  name: string;
  isOptional?: boolean;
}

/** What was given to a command, checked against its options. */
export interface Arguments {
  /** A positional; undefined where it is optional and absent. */
  positional(name: string): string | undefined;
  /** A positional that is not optional. */
  required(name: string): string;
  text(option: string): string | undefined;
  texts(option: string): string[];
  flag(option: string): boolean;
  /** A whole number from 1 up. */
  count(option: string): number | undefined;
}

/** What a command works with. */
export interface Context {
  terminal: Terminal;
  environment: Environment;
  /** Whether what is printed is for programs. */
  isJson: boolean;
  /** Who is signed in. Throws a CommandError where nobody is. */
  account(): Promise<Account>;
  /** A client for that account. */
  client(): Promise<Client>;
}

/** What a command answers: the same for programs and for people. */
export interface Outcome {
  json: unknown;
  text: string;
  /** 0 unless given. */
  exitCode?: ExitCode;
}

/** One command of the command line; the table of them makes the parser and the help. */
export interface Command {
  /** Its words, as `dashboards list`. */
  name: string;
  summary: string;
  positionals?: readonly PositionalSpec[];
  options?: Readonly<Record<string, OptionSpec>>;
  /** Further lines of its help. */
  notes?: string;
  /** Answers null when it has written everything itself. */
  run(given: Arguments, context: Context): Promise<Outcome | null>;
}
