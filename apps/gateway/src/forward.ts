import type { Principal, Route, SystemCaller } from '@gatehouse/contract';
import {
  callProcedure,
  type CallOrigin,
  type IfMatch,
  type InternalTokenSigner,
  type ServiceLinks,
} from '@gatehouse/service';
import { entityTagOf } from './entityTags.js';
import type { Answer } from './respond.js';

/** One object for all calls of the gateway's own, so that its internal token is made once. */
const GATEWAY: SystemCaller = { kind: 'system', name: 'gateway' };

export interface ForwardOptions {
  links: ServiceLinks;
  signer: InternalTokenSigner;
  /** Forgets what is known of an organization's people. */
  forgetPrincipals: (organizationId: string) => void;
}

export interface ForwardedCall {
  route: Route;
  /** Null where the route takes no token: the gateway then calls for itself. */
  principal: Principal | null;
  input: Record<string, unknown>;
  requestId: string;
  ifMatch: IfMatch | undefined;
  /** The key of an operation that may be run again. */
  operationKey?: string;
}

/** Calls the procedures of routes on behalf of principals. */
export interface Forwarder {
  /** What the procedure answers. */
  call(call: ForwardedCall): Promise<unknown>;
  /** The same as the answer to the request. */
  forward(call: ForwardedCall): Promise<Answer>;
  /** The origin of a call that the gateway makes for itself. */
  ownOrigin(requestId: string): Promise<CallOrigin>;
}

function answerSuccess({ success, record }: Route, output: unknown): Answer {
  const body = JSON.stringify(output);
  const entityTag = record === undefined ? null : entityTagOf(output, record, body);
  return { status: success, contentType: 'application/json', entityTag, body, headers: [] };
}

export function createForwarder({ links, signer, forgetPrincipals }: ForwardOptions): Forwarder {
  const call = async ({ route, principal, input, ...along }: ForwardedCall) => {
    const token = await signer.sign(principal ?? GATEWAY);
    try {
      return await callProcedure(links, route.procedure, { origin: { token, ...along }, input });
    } finally {
      // Also after a failure: a call that timed out may have been carried out.
      if (route.changesPrincipals && principal) forgetPrincipals(principal.organizationId);
    }
  };
  return {
    call,
    forward: async (forwarded) => answerSuccess(forwarded.route, await call(forwarded)),
    ownOrigin: async (requestId) => ({ token: await signer.sign(GATEWAY), requestId }),
  };
}
