import { AppError, type Caller } from '@gatehouse/contract';
import type { ServiceLink } from '@gatehouse/service';

/**
 * The one answer that the service needs of the policy service, which is a process of its own. The two are tested
 * together elsewhere; here the tests say what there is.
 */
export class PolicyService {
  readonly #definitions = new Map<string, { id: string; name: string }[]>();

  /** Says which policy definitions refer to a connection. */
  setDefinitions(connectionId: string, definitions: { id: string; name: string }[]): void {
    this.#definitions.set(connectionId, definitions);
  }

  /** Reaches it as other services are reached: with the caller's internal token, which is checked. */
  linkFor(verifier: { verify(token: string): Promise<Caller> }): ServiceLink {
    return {
      call: async (path, _kind, { token, input }) => {
        const caller = await verifier.verify(token);
        const isAdmin = caller.kind === 'orgUser' && caller.role === 'ADMIN';
        if (path !== 'usage.ofConnection' || !isAdmin) throw new AppError('FORBIDDEN');
        return { definitions: this.#definitions.get(String(input['connectionId'])) ?? [] };
      },
      close: async () => {},
    };
  }
}
