import { readFile } from 'node:fs/promises';
import type { Context } from './command.js';
import { isMissing } from './credentials.js';
import { usageError } from './failures.js';

/** The text of a file, or of the standard input for `-`. */
export async function readText(file: string, { terminal }: Context): Promise<string> {
  if (file === '-') return terminal.readInput();
  return readFile(file, 'utf8').catch((error: unknown) => {
    throw usageError(isMissing(error) ? `There is no file ${file}` : `${file} cannot be read`);
  });
}

/** The JSON object in a file, or on the standard input for `-`. */
export async function readObject(file: string, context: Context): Promise<Record<string, unknown>> {
  const text = await readText(file, context);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // Said below, as of any other file that holds no object.
  }
  throw usageError(`${file} is no JSON object`);
}
