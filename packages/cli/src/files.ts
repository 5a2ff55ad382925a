import { findInexactNumber } from '@gatehouse/contract';
import { readFile } from 'node:fs/promises';
import type { Context } from './command.js';
import { isMissing } from './privateFiles.js';
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
  const value = parseObject(await readText(file, context));
  if (value === null) throw usageError(`${file} must contain a JSON object`);
  const { object, inexact } = value;
  if (inexact !== null) throw inexactNumber(file, inexact);
  return object;
}

/** Parsing would round the number, and the server could not detect that. */
export function inexactNumber(place: string, literal: string): Error {
  return usageError(
    `${place} holds ${literal}, which a 64-bit float does not hold exactly: write it as a string`,
  );
}

function parseObject(text: string): { object: Record<string, unknown>; inexact: string | null } | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return { object: value as Record<string, unknown>, inexact: findInexactNumber(text) };
  } catch {
    return null;
  }
}
