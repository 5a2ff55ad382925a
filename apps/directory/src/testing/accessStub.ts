import { AppError, type Caller, type SemanticDomainAccess } from '@gatehouse/contract';
import { hashSecret, isSecretOf, newId, newSecret, functionLink, type ServiceLink } from '@gatehouse/service';

interface DashboardScope {
  projectId: string;
  organizationId: string;
  tenantKey: string | null;
  domainAccess?: SemanticDomainAccess;
}

/** Stubs the three procedures of the access service that the directory calls. Tests set the results. */
export class AccessStub {
  readonly #dashboards = new Map<string, DashboardScope & { secretHash: string }>();
  readonly usedGroupIds = new Set<string>();
  /** Groups with more access than any AUTHOR. */
  readonly uncoveredGroupIds = new Set<string>();

  /** Adds a dashboard and returns the credentials for a token to it. */
  addDashboard({ tenantKey = null, ...scope }: Omit<DashboardScope, 'tenantKey'> & Partial<DashboardScope>) {
    const dashboardId = newId('dashboard');
    const dashboardSecret = newSecret();
    this.#dashboards.set(dashboardId, { ...scope, tenantKey, secretHash: hashSecret(dashboardSecret) });
    return { dashboardId, dashboardSecret };
  }

  /** Connects to the stub like to a service: it verifies the caller's internal token. */
  linkFor(verifier: { verify(token: string): Promise<{ caller: Caller }> }): ServiceLink {
    return functionLink(async ({ path, input: envelope }) => {
      const input = envelope.input as Record<string, unknown>;
      const { caller } = await verifier.verify(envelope.token);
      if (path === 'groups.isUsed' && caller.kind !== 'system') {
        return { isUsed: this.usedGroupIds.has(String(input['id'])) };
      }
      if (path === 'groups.isCovered' && caller.kind !== 'system') {
        return { isCovered: !this.uncoveredGroupIds.has(String(input['id'])) };
      }
      if (path !== 'dashboards.authenticate' || caller.kind !== 'system')
        throw new AppError('UNAUTHENTICATED');
      return {
        dashboard: this.#authenticate(String(input['dashboardId']), String(input['dashboardSecret'])),
      };
    });
  }

  #authenticate(id: string, secret: string) {
    const dashboard = this.#dashboards.get(id);
    if (!isSecretOf(secret, dashboard?.secretHash) || !dashboard) return null;
    const { secretHash: _hash, ...scope } = dashboard;
    return { id, ...scope };
  }
}
