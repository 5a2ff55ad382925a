import { AppError, type Caller } from '@gatehouse/contract';
import { functionLink, type ServiceLink } from '@gatehouse/service';

/**
 * A stub of the one procedure that this service calls in the policy service. Platform tests cover the two
 * services together.
 */
export class PolicyServiceStub {
  readonly #definitions = new Map<string, { id: string; name: string }[]>();

  /** Sets the policy definitions that refer to a connection. */
  setDefinitions(connectionId: string, definitions: { id: string; name: string }[]): void {
    this.#definitions.set(connectionId, definitions);
  }

  /** A link to the stub, which verifies the caller's internal token as a service does. */
  linkFor(verifier: { verify(token: string): Promise<{ caller: Caller }> }): ServiceLink {
    return functionLink(async ({ path, input: envelope }) => {
      const input = envelope.input as Record<string, unknown>;
      const { caller } = await verifier.verify(envelope.token);
      const isAdmin = caller.kind === 'orgUser' && caller.role === 'ADMIN';
      if (path !== 'usage.ofConnection' || !isAdmin) throw new AppError('FORBIDDEN');
      return { definitions: this.#definitions.get(String(input['connectionId'])) ?? [] };
    });
  }
}
