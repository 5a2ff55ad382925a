const LENGTH_MAX = 60;

/** The first line of a text, as far as the title of a dialog has room for it. */
export function shorten(text: string): string {
  const [line = ''] = text.trim().split('\n', 1);
  return line.length > LENGTH_MAX ? `${line.slice(0, LENGTH_MAX)}…` : line;
}
