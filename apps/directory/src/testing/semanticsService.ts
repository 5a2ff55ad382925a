import { AppError, type Caller } from '@gatehouse/contract';
import type { ServiceLink } from '@gatehouse/service';

/**
 * The one answer that the directory needs of the semantics service, which is a process of its own. The two are tested
 * together elsewhere; here the tests say what there is.
 */
export class SemanticsService {
  readonly #domains = new Map<string, string[]>();

  /** Says by which names and ids the semantic domains of a project go. */
  setDomains(projectId: string, namesAndIds: string[]): void {
    this.#domains.set(projectId, namesAndIds);
  }

  /** Reaches it as other services are reached: with the caller's internal token, which is checked. */
  linkFor(verifier: { verify(token: string): Promise<Caller> }): ServiceLink {
    return {
      call: async (path, _kind, { token, input }) => {
        const caller = await verifier.verify(token);
        if (path !== 'domains.findUnknown' || caller.kind !== 'system') throw new AppError('UNAUTHENTICATED');
        const known = this.#domains.get(String(input['projectId'])) ?? [];
        const asked = input['domains'] as string[];
        return { unknown: asked.filter((entry) => !known.includes(entry)) };
      },
      close: async () => {},
    };
  }
}
