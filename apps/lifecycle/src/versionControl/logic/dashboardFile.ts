import { DashboardContent, findInexactNumber, JSON_DEPTH_MAX } from '@gatehouse/contract';

/** More than an indented template of 1 MiB takes, unless it is nested very deeply. */
const FILE_CHARACTERS_MAX = 16 * 1024 * 1024;
const INDENT = '  ';

/** The path of a dashboard's file. The id is an `Id`, so the path cannot leave the folder. */
export function fileOf(dashboardId: string): string {
  return `dashboards/${dashboardId}.json`;
}

/**
 * Writes the file of a dashboard: JSON with an indent of two spaces, the keys of each object in order of
 * their UTF-16 code units, and a final newline. Equal content gives equal text, whatever the order of its
 * keys. Returns null above the size limit of a file.
 */
export function writeDashboardFile(content: DashboardContent): string | null {
  const writer = new JsonWriter();
  writer.write(content, '\n');
  return writer.text();
}

/**
 * Parses the file of a dashboard; null for any other content, which anyone may push to the remote. What no
 * request may contain is no content either, because a client could not save the dashboard again.
 */
export function parseDashboardFile(text: string, id: string): DashboardContent | null {
  try {
    const value: unknown = JSON.parse(text);
    // A number that JavaScript cannot represent would change when it is parsed.
    if (!isRequestable(value) || findInexactNumber(text) !== null) return null;
    const content = DashboardContent.parse(value);
    return content.id === id ? content : null;
  } catch {
    return null;
  }
}

/** Whether a value is nested no deeper than a request may be, and has no key `__proto__`. */
function isRequestable(value: unknown, depth = 1): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth > JSON_DEPTH_MAX) return false;
  return Object.entries(value).every(
    ([name, item]) => name !== '__proto__' && isRequestable(item, depth + 1),
  );
}

class JsonWriter {
  readonly #parts: string[] = [];
  #left = FILE_CHARACTERS_MAX;

  text(): string | null {
    return this.#left < 0 ? null : `${this.#parts.join('')}\n`;
  }

  /** `newline` is a line break followed by the indentation of the current line. */
  write(value: unknown, newline: string): void {
    if (Array.isArray(value)) this.#writeItems(value, newline, '[]');
    else if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
      this.#writeItems(entries, newline, '{}');
    } else this.#add(JSON.stringify(value) ?? 'null');
  }

  #writeItems(items: readonly unknown[], newline: string, brackets: '[]' | '{}'): void {
    if (items.length === 0) return this.#add(brackets);
    const inner = newline + INDENT;
    let separator = brackets.charAt(0);
    for (const item of items) {
      if (this.#left < 0) return;
      this.#add(separator + inner);
      if (brackets === '{}') this.#writeEntry(item as [string, unknown], inner);
      else this.write(item, inner);
      separator = ',';
    }
    this.#add(newline + brackets.charAt(1));
  }

  #writeEntry([key, value]: [string, unknown], newline: string): void {
    this.#add(`${JSON.stringify(key)}: `);
    this.write(value, newline);
  }

  #add(text: string): void {
    this.#left -= text.length;
    if (this.#left >= 0) this.#parts.push(text);
  }
}
