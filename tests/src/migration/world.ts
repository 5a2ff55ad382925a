import type { JsonObject, ModelTemplate, OrgUserPrincipal } from '@gatehouse/contract';
import { newId, newKey } from '@gatehouse/service';
import type { MigrationPlatform } from './platform.mjs';

/** Two projects of one organization, and an ADMIN who works in both. */
export interface MigrationWorld {
  platform: MigrationPlatform;
  /** The ADMIN with a token of the source project. */
  source: OrgUserPrincipal;
  /** The same person with a token of the target project. */
  target: OrgUserPrincipal;
}

const OPERATOR = { kind: 'system', name: 'operator' } as const;

/** A person of an organization, with a token of one of its projects. */
export function personOf(
  place: { organizationId: string; projectId: string },
  fields: Partial<OrgUserPrincipal> = {},
): OrgUserPrincipal {
  const userId = newId('orgUser');
  return {
    kind: 'orgUser',
    tokenType: 'project',
    tokenId: newKey(),
    tokenExpiresAt: 4_000_000_000,
    ...place,
    userId,
    userKey: `key-${userId}`,
    email: `${userId}@example.com`,
    role: 'ADMIN',
    groupIds: [],
    ...fields,
  };
}

/** The ADMIN of the organization that a platform was set up with. */
const admins = new WeakMap<MigrationPlatform, Promise<OrgUserPrincipal>>();

async function setUp(platform: MigrationPlatform): Promise<OrgUserPrincipal> {
  const place = { organizationId: newId('organization'), projectId: newId('project') };
  const admin = personOf(place);
  await platform.call('directory.organizations.bootstrap', OPERATOR, {
    ...place,
    organizationName: 'Organization',
    projectName: 'First',
    projectSecret: newKey(),
    adminOrgUserId: admin.userId,
    adminEmail: admin.email,
    adminName: 'Ada',
  });
  return admin;
}

/** Creates a source and a target project, in the organization of the platform or in the ADMIN's own. */
export async function makeWorld(
  platform: MigrationPlatform,
  ofOther?: OrgUserPrincipal,
): Promise<MigrationWorld> {
  const known = admins.get(platform) ?? setUp(platform);
  admins.set(platform, known);
  const admin = ofOther ?? (await known);
  const inNewProject = async (name: string) => {
    const { project } = await platform.call('directory.projects.create', admin, {
      name: `${name} ${newKey()}`,
    });
    return { ...admin, tokenId: newKey(), projectId: project.id };
  };
  return { platform, source: await inNewProject('Source'), target: await inNewProject('Target') };
}

/** An AUTHOR whom the directory knows, so that things can be shared with it. */
export async function addAuthor({ platform, source }: MigrationWorld): Promise<OrgUserPrincipal> {
  const fields = { email: `${newKey().toLowerCase()}@example.com`, name: 'Ben', role: 'AUTHOR' as const };
  const { user } = await platform.call('directory.orgUsers.create', source, fields);
  const found = await platform.call('directory.subjects.lookup', source, { orgUserIds: [user.id] });
  const userKey = found.orgUsers[0]?.key ?? '';
  const { organizationId, projectId } = source;
  return personOf({ organizationId, projectId }, { userId: user.id, userKey, role: 'AUTHOR' });
}

const CATALOG = {
  defaultSchema: 'public',
  schemas: [
    {
      name: 'public',
      tables: [{ name: 'orders', kind: 'table' as const, columns: [{ name: 'id', type: 'text' }] }],
    },
  ],
};

export const makers = (platform: MigrationPlatform, person: OrgUserPrincipal) => ({
  async connection(name = `c ${newKey()}`): Promise<string> {
    const input = {
      name,
      type: 'static' as const,
      config: { dialect: 'postgres' as const },
      catalog: CATALOG,
    };
    const { connection } = await platform.call('semantics.connections.create', person, input);
    return connection.id;
  },
  async domain(name: string, template: Partial<ModelTemplate> = {}): Promise<string> {
    const { domain } = await platform.call('semantics.domains.create', person, { name });
    await platform.call('semantics.domains.putTemplate', person, { domainId: domain.id, ...template });
    return domain.id;
  },
  async datamodel(name: string, connectionId: string, template?: ModelTemplate): Promise<string> {
    const input = { name, connectionId, ...(template && { template }) };
    return (await platform.call('semantics.datamodels.create', person, input)).datamodel.id;
  },
  async profile(name: string): Promise<string> {
    const { assistantProfile } = await platform.call('semantics.assistantProfiles.create', person, { name });
    return assistantProfile.id;
  },
  async visual(
    frameObject: JsonObject | null,
    fields: { title?: string; tags?: string[] } = {},
  ): Promise<string> {
    const input = { title: `Visual ${newKey()}`, ...fields, frameObject };
    return (await platform.call('access.visuals.create', person, input)).visual.id;
  },
  async share(id: string, orgUserId: string, role: 'VIEWER' | 'EDITOR'): Promise<void> {
    const shares = [{ scope: 'specific_org_user' as const, orgUserId, role }];
    await platform.call('access.dashboardShares.grant', person, { id, shares });
  },
  async dashboard(
    template: JsonObject | null,
    fields: { title?: string; tags?: string[]; isDataApp?: boolean; description?: string } = {},
  ): Promise<string> {
    const input = { title: `Dashboard ${newKey()}`, ...fields, template };
    return (await platform.call('access.dashboards.create', person, input)).dashboard.id;
  },
});
