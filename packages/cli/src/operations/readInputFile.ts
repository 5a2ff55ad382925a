import { findInexactNumber } from '@gatehouse/contract';
import { parse, YAMLParseError } from 'yaml';
import type { Context } from '../command.js';
import { usageError } from '../failures.js';
import { inexactNumber, readText } from '../files.js';

/** The object in a YAML or JSON file, or on the standard input for `-`. */
export async function readInputFile(file: string, context: Context): Promise<Record<string, unknown>> {
  const text = await readText(file, context);
  const value = parseText(file, text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usageError(`${file} must contain an object`);
  // YAML is a superset of JSON, and only JSON is checked for numbers that a 64-bit float does not hold.
  const inexact = text.trimStart().startsWith('{') ? findInexactNumber(text) : null;
  if (inexact !== null) throw inexactNumber(file, inexact);
  return value as Record<string, unknown>;
}

function parseText(file: string, text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof YAMLParseError)
      throw usageError(`${file} is neither YAML nor JSON: ${error.message.split('\n')[0]}`);
    throw error;
  }
}
