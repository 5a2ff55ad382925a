import {
  AppError,
  fieldPath,
  type Caller,
  type InputOf,
  type Procedure,
  type RawInputOf,
  type ServiceContract,
  type ServiceProcedures,
} from '@gatehouse/contract';
import { initTRPC, type AnyTRPCRouter } from '@trpc/server';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Activity } from '../activity.js';
import type { CallContext } from '../callContext.js';
import type { InternalTokenVerifier } from '../internalToken.js';
import type { Logger } from '../log.js';
import { isDatabaseUnreachable } from '../mongo/databaseErrors.js';
import { answerCall } from '../observability/calls.js';

export type Handler<P extends Procedure> = (
  input: InputOf<P>,
  context: CallContext,
) => Promise<RawOutputOf<P>>;
/** An answer may leave out what the contract fills in by default. */
type RawOutputOf<P extends Procedure> = z.input<P['output']>;

/** One handler for each procedure of a contract: leaving one out does not compile. */
export type Handlers<P extends ServiceProcedures> = {
  [Noun in keyof P]: { [Verb in keyof P[Noun]]: Handler<P[Noun][Verb]> };
};

/** What travels with each call. */
export interface Envelope<P extends Procedure = Procedure> {
  token: string;
  requestId: string;
  ifMatch?: '*' | number[] | undefined;
  operationKey?: string | undefined;
  /** The span that the call is made in, as W3C Trace Context writes it. */
  traceparent?: string | undefined;
  input: RawInputOf<P>;
}
const Envelope = z.object({
  token: z.string(),
  requestId: z.string().max(200),
  ifMatch: z.union([z.literal('*'), z.array(z.number().int())]).optional(),
  operationKey: z.string().max(200).optional(),
  traceparent: z.string().max(100).optional(),
  input: z.unknown(),
});

export interface ImplementOptions {
  verifier: InternalTokenVerifier;
  log: Logger;
  validatesOutput: boolean;
  activity: Activity;
}

const t = initTRPC.create({
  errorFormatter({ shape, error }) {
    // A caller learns the public part of an AppError and nothing of any other error.
    const wire = toAppError(error).toWire();
    return { ...shape, message: wire.message, data: { app: wire } };
  },
});

/**
 * The AppError inside a tRPC error. A database that cannot be reached makes a call UNAVAILABLE; any other error becomes
 * INTERNAL_ERROR. Both have the error itself as the cause.
 */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof Error && error.cause instanceof AppError) return error.cause;
  if (isDatabaseUnreachable(error))
    return new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause: error });
  return new AppError('INTERNAL_ERROR', { cause: error });
}

/** Every fault of a value as field errors, as `shares[1].role`. */
export function toFieldErrors(error: z.ZodError) {
  return error.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [{ field: fieldPath(issue.path), message: issue.message }];
    return issue.keys.map((key) => ({
      field: fieldPath([...issue.path, key]),
      message: 'is not a known field',
    }));
  });
}

function parseInput<P extends Procedure>(procedure: P, input: unknown): InputOf<P> {
  const parsed = procedure.input.safeParse(input);
  if (!parsed.success) throw new AppError('INVALID_REQUEST', { fieldErrors: toFieldErrors(parsed.error) });
  return parsed.data as InputOf<P>;
}

/** Throws when an answer is not exactly what the contract says: a field too many may be one that nobody should see. */
function assertOutput(procedure: Procedure, output: unknown): void {
  const asSent = JSON.parse(JSON.stringify(output)) as unknown;
  const asDeclared = JSON.parse(JSON.stringify(procedure.output.parse(output))) as unknown;
  if (!isDeepStrictEqual(asSent, asDeclared))
    throw new Error('The answer holds fields that its contract does not declare');
}

function isAudience({ audience }: Procedure, caller: Caller): boolean {
  if (audience === 'principal') return caller.kind !== 'system';
  return caller.kind === 'system' && audience.includes(caller.name);
}

async function createContext(
  envelope: z.infer<typeof Envelope>,
  procedure: Procedure,
  options: ImplementOptions,
) {
  const caller = await options.verifier.verify(envelope.token);
  if (!isAudience(procedure, caller)) throw new AppError('UNAUTHENTICATED');
  const { token, requestId, ifMatch, operationKey } = envelope;
  let log: Logger | undefined;
  const context: CallContext = {
    token,
    requestId,
    ifMatch,
    operation: operationKey === undefined ? undefined : { key: operationKey },
    caller,
    get principal() {
      if (caller.kind === 'system') throw new AppError('UNAUTHENTICATED');
      return caller;
    },
    now: new Date(),
    // Made when it is first needed: most calls log nothing.
    get log() {
      return (log ??= options.log.child({ requestId }));
    },
  };
  return context;
}

function resolverOf<P extends Procedure>(procedure: P, handler: Handler<P>, options: ImplementOptions) {
  return async (parsed: ReturnType<typeof Envelope.safeParse>): Promise<unknown> => {
    if (!parsed.success) throw new AppError('UNAUTHENTICATED', { cause: parsed.error });
    const context = await createContext(parsed.data, procedure, options);
    if (!options.activity.enter()) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
    try {
      const output = await handler(parseInput(procedure, parsed.data.input), context);
      if (options.validatesOutput) assertOutput(procedure, output);
      return output;
    } catch (error) {
      const known = toAppError(error);
      if (known.status >= 500) context.log.error({ err: known.cause ?? known }, 'call failed');
      throw known;
    } finally {
      options.activity.leave();
    }
  };
}

/** Makes a router of a contract and its handlers. Tokens and inputs are checked here, once for every procedure. */
export function implement<P extends ServiceProcedures>(
  contract: ServiceContract<P>,
  handlers: Handlers<P>,
  options: ImplementOptions,
): AnyTRPCRouter {
  const procedureOf = (path: string, procedure: Procedure, handler: Handler<Procedure>) => {
    const builder = t.procedure.input((raw) => raw);
    const answer = resolverOf(procedure, handler, options);
    const resolve = ({ input }: { input: unknown }) => {
      const parsed = Envelope.safeParse(input);
      return answerCall(path, parsed.data?.traceparent, () => answer(parsed));
    };
    return procedure.kind === 'query' ? builder.query(resolve) : builder.mutation(resolve);
  };
  const nouns = Object.entries(contract.procedures).map(([noun, verbs]) => {
    const implemented = handlers[noun] as Record<string, Handler<Procedure>>;
    const procedures = Object.entries(verbs).map(([verb, procedure]) => {
      const handler = implemented[verb];
      const path = `${contract.name}.${noun}.${verb}`;
      if (!handler) throw new Error(`No handler for ${path}`);
      return [verb, procedureOf(path, procedure, handler)] as const;
    });
    return [noun, t.router(Object.fromEntries(procedures))] as const;
  });
  return t.router(Object.fromEntries(nouns));
}
