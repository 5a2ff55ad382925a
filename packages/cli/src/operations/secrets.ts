import { findProcedure, type Route } from '@gatehouse/contract';
import { z } from 'zod';
import type { OptionSpec } from '../command.js';
import { writePrivateFile } from '../privateFiles.js';

/** The fields of responses that hold a secret or a token. */
const SECRET_FIELDS = ['secret', 'accessToken'];

type Shown = 'always' | 'sometimes' | 'never';

function shownIn(schema: unknown): Shown {
  if (schema instanceof z.ZodUnion) {
    const all = schema.options.map(shownIn);
    if (all.every((shown) => shown === 'never')) return 'never';
    return all.every((shown) => shown === 'always') ? 'always' : 'sometimes';
  }
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return shownIn(schema.unwrap()) === 'never' ? 'never' : 'sometimes';
  if (!(schema instanceof z.ZodObject)) return 'never';
  const inner = Object.entries(schema.shape).map(([name, field]) => {
    if (!SECRET_FIELDS.includes(name)) return shownIn(field);
    return field instanceof z.ZodString ? 'always' : 'sometimes';
  });
  if (inner.includes('always')) return 'always';
  return inner.includes('sometimes') ? 'sometimes' : 'never';
}

/** The option for the secret in the response of an operation, which is shown once; none without one. */
export function secretOption({ procedure }: Route): Record<string, OptionSpec> {
  const shown = shownIn(findProcedure(procedure).output);
  if (shown === 'never') return {};
  const summary = 'keep the secret in this file; it is never printed';
  // Without the file, the secret would be lost.
  return { 'secret-file': { value: 'file', summary, isRequired: shown === 'always' } };
}

/**
 * A response without its secrets, which are written to a file that only its owner can read. Secrets on a
 * terminal stay in its history, and those of a pipeline in its logs.
 */
export async function putSecretsAway(answer: unknown, file: string | undefined): Promise<unknown> {
  const secrets: string[] = [];
  const visit = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(visit);
    const entries = Object.entries(value).flatMap(([name, inner]) => {
      if (!SECRET_FIELDS.includes(name)) return [[name, visit(inner)] as const];
      secrets.push(String(inner));
      return [];
    });
    return Object.fromEntries(entries);
  };
  const shown = visit(answer);
  if (file !== undefined && secrets.length > 0)
    await writePrivateFile(file, secrets.map((secret) => `${secret}\n`).join(''));
  return shown;
}
