import { isDeepStrictEqual } from 'node:util';
import {
  AppError,
  invalidField,
  WITHOUT_DRY_RUN,
  type Caller,
  type InputOf,
  type Procedure,
  type ProcedureAudience,
  type ProcedureMeta,
  type RouterOf,
  type RouterRecordOf,
  type ServiceContract,
  type ServiceProcedures,
} from '@gatehouse/contract';
import { initTRPC, type TRPCMiddlewareFunction } from '@trpc/server';
import type { z } from 'zod';
import type { Activity } from '../activity.js';
import type { CallContext } from '../callContext.js';
import { runCall } from '../dryRun/dryRun.js';
import type { InternalTokenVerifier, VerifiedToken } from '../internalToken.js';
import type { Logger } from '../log.js';
import { receiveCall } from '../observability/calls.js';
import { Envelope } from './envelope.js';
import { toAppError, toErrorShape } from './errors.js';

/**
 * The tRPC root of all services. A caller sees only the public part of an AppError, and nothing of other
 * errors.
 */
export const t = initTRPC.meta<ProcedureMeta>().create({
  errorFormatter: ({ shape, error }) => ({ ...shape, ...toErrorShape(toAppError(error)), code: shape.code }),
});

/** A middleware that requires `In` in the context and adds `Out` to it. */
type Middleware<In extends object, Out extends object> = TRPCMiddlewareFunction<
  object,
  ProcedureMeta,
  In,
  Out,
  unknown
>;

interface Received {
  /** Undefined if the message of the call is malformed. */
  envelope: Envelope | undefined;
}

interface Authenticated extends Received {
  envelope: Envelope;
  call: CallContext;
}

/** Opens the envelope, continues the trace of the caller, and counts the call by its outcome. */
const traceCall: Middleware<object, Received> = async ({ meta, next, getRawInput }) => {
  const { data: envelope } = Envelope.safeParse(await getRawInput());
  return receiveCall(meta?.name ?? '', envelope?.traceparent, async () => {
    const result = await next({ ctx: { envelope } });
    // Thrown so that the span and the counter see the failure. tRPC catches it again.
    if (!result.ok) throw result.error;
    return result;
  });
};

/** Verifies the internal token. A malformed envelope is UNAUTHENTICATED too. */
export function authenticate(
  verifier: InternalTokenVerifier,
  log: Logger,
): Middleware<Received, Authenticated> {
  return async ({ ctx: { envelope }, next }) => {
    if (!envelope) throw new AppError('UNAUTHENTICATED');
    const verified = await verifier.verify(envelope.token);
    return next({ ctx: { envelope, call: createCallContext(envelope, verified, log) } });
  };
}

function createCallContext(
  envelope: Envelope,
  { caller, expiresAt: tokenExpiresAt }: VerifiedToken,
  serviceLog: Logger,
): CallContext {
  const { token, requestId, ifMatch, operationKey, validateOnly } = envelope;
  let log: Logger | undefined;
  return {
    token,
    tokenExpiresAt,
    requestId,
    ifMatch,
    validateOnly,
    operation: operationKey === undefined ? undefined : { key: operationKey },
    caller,
    get principal() {
      if (caller.kind === 'system') throw new AppError('UNAUTHENTICATED');
      return caller;
    },
    now: new Date(),
    // Created on first use: most calls log nothing.
    get log() {
      return (log ??= serviceLog.child({ requestId }));
    },
  };
}

function isAudience(audience: ProcedureAudience, caller: Caller): boolean {
  if (audience === 'principalOrCompiler') return caller.kind !== 'system';
  if (audience === 'principal') return caller.kind !== 'system' && caller.kind !== 'compiler';
  return caller.kind === 'system' && audience.includes(caller.name);
}

/**
 * Rejects callers outside the audience of the procedure. For the others, the input of the procedure replaces
 * the envelope. No input is parsed before its caller is authenticated.
 */
const checkAudience: Middleware<Authenticated, Authenticated> = async ({ ctx, meta, next }) => {
  if (!meta || !isAudience(meta.audience, ctx.call.caller)) throw new AppError('UNAUTHENTICATED');
  const { input } = ctx.envelope;
  return next({ getRawInput: async () => input });
};

/**
 * Rejects calls while the service shuts down, and counts the others as in flight. Runs a call with
 * `validateOnly` as a dry run, and every other as a real call. Rejects one of neither.
 */
export function admit(activity: Activity): Middleware<Authenticated, Authenticated> {
  return async ({ ctx, meta, next }) => {
    if (!activity.enter()) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
    try {
      const isDry = ctx.envelope.validateOnly === true;
      if (isDry && meta && meta.name in WITHOUT_DRY_RUN)
        throw invalidField('validateOnly', 'does not go with this operation', 'conflict');
      const result = await runCall({ isDry }, () => next());
      if (!result.ok) throw loggedFailure(result.error, ctx.call);
      return result;
    } finally {
      activity.leave();
    }
  };
}

/** Returns a failure as an AppError. Logs it if its status is 500 or more. */
function loggedFailure(error: unknown, { log }: CallContext): AppError {
  const known = toAppError(error);
  if (known.status >= 500) log.error({ err: known.cause ?? known }, 'call failed');
  return known;
}

export type Handler<P extends Procedure> = (
  input: InputOf<P>,
  context: CallContext,
) => Promise<RawOutputOf<P>>;
/** An output may omit the fields that have a default in the contract. */
type RawOutputOf<P extends Procedure> = z.input<P['output']>;

/** One handler for each procedure of a contract: a missing one does not compile. */
export type Handlers<P extends ServiceProcedures> = {
  [Noun in keyof P]: { [Verb in keyof P[Noun]]: Handler<P[Noun][Verb]> };
};

export interface ImplementOptions {
  verifier: InternalTokenVerifier;
  log: Logger;
  validatesOutput: boolean;
  activity: Activity;
}

/**
 * The procedure builder of a service. The order matters: input is parsed only for admitted callers. Each
 * further middleware of tRPC copies the context and the options of the call again, which takes 5 µs.
 */
function createBaseProcedure({ verifier, log, activity }: ImplementOptions) {
  return t.procedure.use(traceCall).use(authenticate(verifier, log)).use(checkAudience).use(admit(activity));
}

/** A parser for `.output()`, in the form from which tRPC infers the types of zod schemas. */
interface OutputParser<O extends z.ZodType> {
  readonly _input: z.input<O>;
  readonly _output: z.output<O>;
  parse(output: unknown): unknown;
}

/**
 * Throws if an output is not exactly what the schema declares: an extra field may be one that is not public.
 */
function assertExact(schema: z.ZodType, output: unknown): void {
  const asSent = JSON.parse(JSON.stringify(output)) as unknown;
  const asDeclared = JSON.parse(JSON.stringify(schema.parse(output))) as unknown;
  if (!isDeepStrictEqual(asSent, asDeclared))
    throw new Error('The output holds fields that its contract does not declare');
}

/**
 * The output parser of a procedure. The schema always types the output. It is also compared with each output
 * where `validates` is set, as in all tests. In production it is not: parsing a list of 100 records costs
 * more than the call itself, and the gateway would pay for it at every hop.
 */
function outputParser<O extends z.ZodType>(
  schema: O,
  { validates }: { validates: boolean },
): OutputParser<O> {
  const parse = (output: unknown) => {
    if (validates) assertExact(schema, output);
    return output;
  };
  // tRPC reads the types of `_input` and `_output`, never their values.
  return { parse } as OutputParser<O>;
}

/** Creates the router of a contract from its handlers. */
export function implement<P extends ServiceProcedures>(
  contract: ServiceContract<P>,
  handlers: Handlers<P>,
  options: ImplementOptions,
): RouterOf<ServiceContract<P>> {
  const base = createBaseProcedure(options);
  const procedureOf = (name: string, procedure: Procedure, handler: Handler<Procedure>) => {
    const { kind, audience, changes, input, output } = procedure;
    const builder = base
      .meta({ name, audience, changes })
      .input(input)
      .output(outputParser(output, { validates: options.validatesOutput }));
    return kind === 'query'
      ? builder.query((call) => handler(call.input, call.ctx.call))
      : builder.mutation((call) => handler(call.input, call.ctx.call));
  };
  const nouns = Object.entries(contract.procedures).map(([noun, verbs]) => {
    const implemented = handlers[noun] as Record<string, Handler<Procedure>> | undefined;
    const procedures = Object.entries(verbs).map(([verb, procedure]) => {
      const handler = implemented?.[verb];
      const name = `${contract.name}.${noun}.${verb}`;
      if (!handler) throw new Error(`No handler for ${name}`);
      return [verb, procedureOf(name, procedure, handler)] as const;
    });
    return [noun, Object.fromEntries(procedures)] as const;
  });
  // The record has the nouns and verbs of the contract, which a loop over entries cannot express.
  return t.router(Object.fromEntries(nouns) as RouterRecordOf<P>);
}
