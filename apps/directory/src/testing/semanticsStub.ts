import { AppError, type Caller } from '@gatehouse/contract';
import { functionLink, type ServiceLink } from '@gatehouse/service';

/** Stubs the procedure of the semantics service that the directory calls. Tests set the results. */
export class SemanticsStub {
  readonly #domains = new Map<string, string[]>();

  /** Sets the names and ids of the semantic domains of a project. */
  setDomains(projectId: string, namesAndIds: string[]): void {
    this.#domains.set(projectId, namesAndIds);
  }

  /** Connects to the stub like to a service: it verifies the caller's internal token. */
  linkFor(verifier: { verify(token: string): Promise<{ caller: Caller }> }): ServiceLink {
    return functionLink(async ({ path, input: envelope }) => {
      const input = envelope.input as Record<string, unknown>;
      const { caller } = await verifier.verify(envelope.token);
      if (path !== 'domains.findUnknown' || caller.kind !== 'system') throw new AppError('UNAUTHENTICATED');
      const known = this.#domains.get(String(input['projectId'])) ?? [];
      const requested = input['domains'] as string[];
      return { unknown: requested.filter((entry) => !known.includes(entry)) };
    });
  }
}
