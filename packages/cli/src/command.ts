import type { Client } from '@gatehouse/client';
import type { Account } from './credentials.js';
import type { Environment } from './environment.js';
import type { ExitCode } from './exitCodes.js';
import type { NameKind } from './names/nameKinds.js';
import type { Terminal } from './terminal.js';

/** The kind of record that a value names, by its id or its name. */
export type Names = NameKind | ((given: Arguments) => NameKind);

/** An option of a command. */
export interface OptionSpec {
  summary: string;
  /** The placeholder of the value in `--help`; an option without one is a flag. */
  value?: string;
  /** The allowed values. */
  choices?: readonly string[];
  /** May be given several times. */
  isMultiple?: boolean;
  isRequired?: boolean;
  /** Its one-letter form. */
  short?: string;
  /** The record that the value names. */
  names?: Names;
}

export interface PositionalSpec {
  name: string;
  isOptional?: boolean;
  /** Takes all words that follow. */
  isMultiple?: boolean;
  /** The record that the value names. */
  names?: Names;
}

/** The parsed arguments of a command, checked against its options. */
export interface Arguments {
  /** A positional; undefined if it is optional and absent. */
  positional(name: string): string | undefined;
  /** A required positional. */
  required(name: string): string;
  /** All positionals. */
  positionals(): readonly string[];
  text(option: string): string | undefined;
  texts(option: string): string[];
  flag(option: string): boolean;
  /** A whole number from 1 up. */
  count(option: string): number | undefined;
}

/** The forms of a result: aligned text for people, or all of it for programs, or the ids alone. */
export const OUTPUT_FORMATS = ['table', 'json', 'yaml', 'name'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** The context of a command. */
export interface Context {
  terminal: Terminal;
  environment: Environment;
  /** How the result is printed. */
  format: OutputFormat;
  /** The value of `--profile`. */
  profile: string | undefined;
  /**
   * The account that is signed in.
   * @throws CommandError if there is none
   */
  account(): Promise<Account>;
  /** A client for that account. */
  client(): Promise<Client>;
}

/** The result of a command: the same for programs and for people. */
export interface Outcome {
  json: unknown;
  text: string;
  /** 0 by default. */
  exitCode?: ExitCode;
}

/** One command of the command line; the parser and the help come from the table of commands. */
export interface Command {
  /** Its words, as `dashboards list`. */
  name: string;
  summary: string;
  positionals?: readonly PositionalSpec[];
  options?: Readonly<Record<string, OptionSpec>>;
  /** Further lines of its help. */
  notes?: string;
  /** The exit code for invalid input, if 2 has another meaning for this command. */
  usageExitCode?: ExitCode;
  /** What it deletes, for a command that requires `--yes` without a terminal. */
  deletes?: string;
  /** Stands for one operation of the API and comes from its route. */
  isOperation?: boolean;
  /** Left out of the help. */
  isHidden?: boolean;
  /** Returns null if it has written all output itself. */
  run(given: Arguments, context: Context): Promise<Outcome | null>;
}
