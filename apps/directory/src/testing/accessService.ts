import { AppError, type Caller } from '@gatehouse/contract';
import { hashSecret, isSecretOf, newId, newSecret, type ServiceLink } from '@gatehouse/service';

/**
 * The two answers that the directory needs of the access service, which is a process of its own. The two are tested
 * together elsewhere; here the tests say what there is.
 */
export class AccessService {
  readonly #dashboards = new Map<string, { projectId: string; organizationId: string; secretHash: string }>();
  readonly usedGroupIds = new Set<string>();

  /** Adds a dashboard and gives the credentials for a token to it. */
  addDashboard(ground: { projectId: string; organizationId: string }) {
    const dashboardId = newId('dashboard');
    const dashboardSecret = newSecret();
    this.#dashboards.set(dashboardId, { ...ground, secretHash: hashSecret(dashboardSecret) });
    return { dashboardId, dashboardSecret };
  }

  /** Reaches it as other services are reached: with the caller's internal token, which is checked. */
  linkFor(verifier: { verify(token: string): Promise<Caller> }): ServiceLink {
    return {
      call: async (path, _kind, { token, input }) => {
        const caller = await verifier.verify(token);
        if (path === 'groups.isUsed' && caller.kind !== 'system') {
          return { isUsed: this.usedGroupIds.has(String(input['id'])) };
        }
        if (path !== 'dashboards.authenticate' || caller.kind !== 'system')
          throw new AppError('UNAUTHENTICATED');
        return {
          dashboard: this.#authenticate(String(input['dashboardId']), String(input['dashboardSecret'])),
        };
      },
      close: async () => {},
    };
  }

  #authenticate(id: string, secret: string) {
    const dashboard = this.#dashboards.get(id);
    if (!isSecretOf(secret, dashboard?.secretHash) || !dashboard) return null;
    const { projectId, organizationId } = dashboard;
    return { id, projectId, organizationId };
  }
}
