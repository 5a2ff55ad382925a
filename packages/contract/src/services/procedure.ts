import type { z } from 'zod';
import { boundFaults } from '../boundedFaults.js';
import type { SystemName } from '../principal.js';

/**
 * The allowed callers of a procedure: a principal (through the gateway), or the named parts of the platform.
 * A `compiler` counts as a principal only where it is admitted by name.
 */
export type ProcedureAudience = 'principal' | 'principalOrCompiler' | readonly SystemName[];

export interface Procedure<I extends z.ZodObject = z.ZodObject, O extends z.ZodType = z.ZodType> {
  kind: 'query' | 'mutation';
  /** False for a `query` and a `question`, which may be repeated. */
  changes: boolean;
  audience: ProcedureAudience;
  input: I;
  output: O;
}

/** A read. `input` is a strict object, so that unknown fields are rejected by name. */
export function query<I extends z.ZodObject, O extends z.ZodType>(
  input: I,
  output: O,
): Procedure<I, O> & { kind: 'query' } {
  return { kind: 'query', changes: false, audience: 'principal', input: boundFaults(input), output };
}

/** A change. */
export function mutation<I extends z.ZodObject, O extends z.ZodType>(
  input: I,
  output: O,
): Procedure<I, O> & { kind: 'mutation' } {
  return { kind: 'mutation', changes: true, audience: 'principal', input: boundFaults(input), output };
}

/**
 * A read whose input may be as large as a body: it is called by POST, as a mutation is. It changes nothing
 * and publishes nothing.
 */
export function question<I extends z.ZodObject, O extends z.ZodType>(
  input: I,
  output: O,
): Procedure<I, O> & { kind: 'mutation' } {
  return { ...mutation(input, output), changes: false };
}

/** The same procedure, callable also with a token of the scope `sql:compile`. */
export function compilerToo<P extends Procedure>(procedure: P): P {
  return { ...procedure, audience: 'principalOrCompiler' };
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

export interface ServiceContract<P extends ServiceProcedures = ServiceProcedures, N extends string = string> {
  name: N;
  procedures: P;
}

export type InputOf<P extends Procedure> = z.output<P['input']>;
export type RawInputOf<P extends Procedure> = z.input<P['input']>;
export type OutputOf<P extends Procedure> = z.output<P['output']>;
