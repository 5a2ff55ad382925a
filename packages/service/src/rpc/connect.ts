import {
  AppError,
  findProcedure,
  services,
  type OutputOf,
  type Procedure,
  type ProcedurePath,
  type RawInputOf,
  type ServiceName,
  type Services,
} from '@gatehouse/contract';
import type { CallOrigin } from '../callContext.js';
import { sendCall } from '../observability/calls.js';
import type { ServiceLink } from './link.js';

type Caller<P extends Procedure> = (origin: CallOrigin, input: RawInputOf<P>) => Promise<OutputOf<P>>;

/** The typed face of every service: `clients.directory.subjects.lookup(origin, input)`. */
export type ServiceClients = {
  [S in ServiceName]: {
    [Noun in keyof Services[S]['procedures']]: {
      [Verb in keyof Services[S]['procedures'][Noun]]: Services[S]['procedures'][Noun][Verb] extends Procedure
        ? Caller<Services[S]['procedures'][Noun][Verb]>
        : never;
    };
  };
};

export type ServiceLinks = Partial<Record<ServiceName, ServiceLink>>;

/** Calls a procedure by its path, as the gateway does for each line of the route table. */
export async function callProcedure(
  links: ServiceLinks,
  path: ProcedurePath,
  { origin, input }: { origin: CallOrigin; input: Record<string, unknown> },
): Promise<unknown> {
  const procedure = findProcedure(path);
  const [service, noun, verb] = path.split('.') as [ServiceName, string, string];
  const link = links[service];
  if (!link) throw new AppError('UNAVAILABLE', { retryAfterSeconds: 1 });
  const { token, requestId, ifMatch, operationKey } = origin;
  return sendCall(path, (traceparent) =>
    link.call(`${noun}.${verb}`, procedure, { token, requestId, ifMatch, operationKey, traceparent, input }),
  );
}

/** The typed clients over the given links. A service without a link answers UNAVAILABLE. */
export function connectServices(links: ServiceLinks): ServiceClients {
  const clients = Object.entries(services).map(([name, contract]) => {
    const nouns = Object.entries(contract.procedures).map(([noun, verbs]) => {
      const callers = Object.keys(verbs).map((verb) => {
        const path = `${name}.${noun}.${verb}` as ProcedurePath;
        const call = (origin: CallOrigin, input: Record<string, unknown>) =>
          callProcedure(links, path, { origin, input });
        return [verb, call];
      });
      return [noun, Object.fromEntries(callers)];
    });
    return [name, Object.fromEntries(nouns)];
  });
  return Object.fromEntries(clients) as ServiceClients;
}
