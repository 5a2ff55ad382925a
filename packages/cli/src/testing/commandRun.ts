import { runCommand } from '../cli.js';
import type { Environment } from '../environment.js';
import type { Terminal } from '../terminal.js';

export interface CommandRun {
  exitCode: number;
  output: string;
  errors: string;
  /** The questions that were shown. */
  questions: string[];
}

export interface RunSettings {
  input?: string;
  environment?: Partial<Environment>;
  /** Responses to questions; with one, the terminal is interactive. */
  responses?: string[];
  /** Parts of the terminal that behave differently. */
  terminal?: Partial<Terminal>;
}

/** Runs a command in this process, on a terminal that records its output. */
export async function runRecorded(
  words: string[],
  { input = '', environment = {}, responses, terminal: changed = {} }: RunSettings = {},
): Promise<CommandRun> {
  const recorded = { output: '', errors: '', questions: [] as string[] };
  const remaining = [...(responses ?? [])];
  const terminal = {
    write: async (text: string) => void (recorded.output += text),
    writeError: (text: string) => void (recorded.errors += text),
    isErrorWatched: false,
    isInteractive: responses !== undefined,
    ask: async (question: string) => {
      recorded.questions.push(question);
      return remaining.shift() ?? '';
    },
    askSecret: async () => input,
    readInput: async () => input,
    ...changed,
  };
  const nothing: Environment = {
    configFolder: '/nonexistent',
    url: undefined,
    token: undefined,
    projectId: undefined,
    projectSecret: undefined,
    orgUserId: undefined,
    endUserId: undefined,
    profile: undefined,
  };
  return { exitCode: await runCommand(words, terminal, { ...nothing, ...environment }), ...recorded };
}
