/** The streams of a command. */
export interface Terminal {
  /** For the result. Resolves when there is room for more. */
  write(text: string): Promise<void>;
  /** For errors, prompts and progress. */
  writeError(text: string): void;
  /** Whether errors and progress are shown on a terminal. */
  isErrorWatched: boolean;
  /** Whether a prompt is possible. */
  isInteractive: boolean;
  /** Prompts for a line; an empty one if the input ends. */
  ask(question: string): Promise<string>;
  /** Prompts for a line without echoing it. */
  askSecret(question: string): Promise<string>;
  /** All of the standard input. */
  readInput(): Promise<string>;
  /** Aborted when the user presses Ctrl-C: a long command ends and keeps what it has done. */
  interrupted?: AbortSignal;
}

// Control characters, which a terminal may execute, and marks that change the direction of text.
const UNSHOWABLE = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu;

/** A text in one line that is safe to show on a terminal: titles and messages come from other users. */
export function showable(text: string): string {
  return text.replace(UNSHOWABLE, (character) => (/\s/.test(character) ? ' ' : '\ufffd'));
}

/** The same for a text of several lines. */
export function showableLines(text: string): string {
  return text.split(/\r?\n/).map(showable).join('\n');
}

// JSON and YAML escape the first 32 themselves, and put a text with any of these into double quotes.
const LATER_CONTROLS = /[\u007f-\u009f]/g;

/** JSON or YAML with all control characters as escapes, which mean the same to a program. */
export function escapeControls(text: string): string {
  const escape = (character: string) => character.charCodeAt(0).toString(16).padStart(4, '0');
  return text.replace(LATER_CONTROLS, (character) => `\\u${escape(character)}`);
}
