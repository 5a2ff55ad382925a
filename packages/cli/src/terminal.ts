/** Where a command writes to and reads from. */
export interface Terminal {
  /** For what was asked for. Resolves when there is room for more. */
  write(text: string): Promise<void>;
  /** For errors, prompts and progress. */
  writeError(text: string): void;
  /** Whether a person watches the errors, and progress with them. */
  isErrorWatched: boolean;
  /** Whether a person can be asked. */
  isInteractive: boolean;
  /** Asks for a line without showing it. */
  askSecret(question: string): Promise<string>;
  /** All of the standard input. */
  readInput(): Promise<string>;
}

// Control characters, of which a terminal obeys some, and marks that turn the direction of text around.
const UNSHOWABLE = /[\p{Cc}\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** A text in one line that a terminal only shows: titles and messages are other people's. */
export function showable(text: string): string {
  return text.replace(UNSHOWABLE, (character) => (/\s/.test(character) ? ' ' : '\ufffd'));
}

/** The same for a text of several lines. */
export function showableLines(text: string): string {
  return text.split(/\r?\n/).map(showable).join('\n');
}
