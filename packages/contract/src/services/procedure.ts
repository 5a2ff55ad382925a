import type { z } from 'zod';
import type { SystemName } from '../principal.js';

/** Who may call a procedure: a principal (by way of the gateway), or the parts of the platform that are named. */
export type ProcedureAudience = 'principal' | readonly SystemName[];

export interface Procedure<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> {
  kind: 'query' | 'mutation';
  /** False of a `query` and of a `question`, which may be asked again. */
  changes: boolean;
  audience: ProcedureAudience;
  input: I;
  output: O;
}

/** A read. `input` is a strict object, so that unknown fields are refused by name. */
export function query<I extends z.ZodObject, O extends z.ZodType>(
  input: I,
  output: O,
): Procedure<I, O> & { kind: 'query' } {
  return { kind: 'query', changes: false, audience: 'principal', input, output };
}

/** A change. */
export function mutation<I extends z.ZodObject, O extends z.ZodType>(
  input: I,
  output: O,
): Procedure<I, O> & { kind: 'mutation' } {
  return { kind: 'mutation', changes: true, audience: 'principal', input, output };
}

/**
 * A read whose input may be as large as a body: asked as a mutation is, by POST. It changes nothing and publishes nothing.
 */
export function question<I extends z.ZodObject, O extends z.ZodType>(
  input: I,
  output: O,
): Procedure<I, O> & { kind: 'mutation' } {
  return { ...mutation(input, output), changes: false };
}

/** The same procedure, callable by parts of the platform alone. */
export function systemOnly<P extends Procedure>(
  procedure: P,
  callers: readonly SystemName[] = ['gateway', 'operator'],
): P {
  return { ...procedure, audience: callers };
}

/** A service's procedures: nouns, and under each its verbs. */
export type ServiceProcedures = Record<string, Record<string, Procedure>>;

export interface ServiceContract<P extends ServiceProcedures = ServiceProcedures> {
  name: string;
  procedures: P;
}

export type InputOf<P extends Procedure> = z.output<P['input']>;
export type RawInputOf<P extends Procedure> = z.input<P['input']>;
export type OutputOf<P extends Procedure> = z.output<P['output']>;
