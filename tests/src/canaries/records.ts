import { succeeded, type Project, type Session } from '../api.js';
import type { Founder } from './founder.js';

const MANAGED = ['dashboardId', 'dashboards', 'replaceExistingId', 'resourceId', 'ids'];

/** A connection with the records that build on it. */
export async function addSemantics(
  founder: Founder,
): Promise<{ connectionId: string; domainId: string; table: string; column: string }> {
  const { admin } = founder;
  const record = founder.record('connection');
  const [table, column] = [record.text('table'), record.text('column')];
  const { id: connectionId } = await founder.create(admin, '/api/v1/connections', {
    name: record.text('name'),
    type: 'static',
    config: { dialect: 'postgres' },
    catalog: {
      defaultSchema: 'public',
      schemas: [{ name: 'public', tables: [{ name: table, columns: [{ name: column, type: 'text' }] }] }],
    },
  });
  record.readAt(`/api/v1/connections/${connectionId}`, '/audit-events?limit=500');
  founder.note(['connectionId', 'connections'], connectionId);
  const configured = founder.record('server connection');
  const { id: serverId } = await founder.create(admin, '/api/v1/connections', {
    name: configured.text('name'),
    type: 'postgres',
    config: {
      host: `${configured.text('host')}.example.com`,
      port: 5432,
      database: configured.text('database'),
      user: configured.text('user'),
      password: configured.secret('password'),
    },
  });
  configured.readAt(`/api/v1/connections/${serverId}`, '/audit-events?limit=500');
  founder.note(['connectionId', 'connections'], serverId);
  const domain = founder.record('domain');
  const { id: domainId } = await founder.create(admin, '/api/v1/domains', {
    name: domain.text('name'),
    label: domain.text('label'),
    description: domain.text('description'),
  });
  domain.readAt(`/api/v1/domains/${domainId}`, '/audit-events?limit=500');
  const dataset = founder.record('domain template');
  const datasets = [{ name: dataset.text('dataset'), connectionId, table }];
  succeeded(await admin.put(`/api/v1/domains/${domainId}/template`, { datasets }));
  dataset.readAt(`/api/v1/domains/${domainId}/template`);
  // A table's name is in the catalog and in the datasets that show it.
  record.readAt(`/api/v1/domains/${domainId}/template`);
  founder.note(['domainId'], domainId);
  const model = founder.record('datamodel');
  const { id: datamodelId } = await founder.create(admin, '/api/v1/datamodels', {
    name: model.text('name'),
    description: model.text('description'),
    connectionId,
    template: { datasets: [{ name: model.text('dataset'), table }] },
  });
  model.readAt(`/api/v1/datamodels/${datamodelId}`, '/audit-events?limit=500');
  founder.note(['datamodelId', 'datamodels'], datamodelId);
  const profile = founder.record('assistantProfile');
  const { id: profileId } = await founder.create(admin, '/api/v1/assistant-profiles', {
    name: profile.text('name'),
  });
  profile.readAt(`/api/v1/assistant-profiles/${profileId}`, '/audit-events?limit=500');
  founder.note(['assistantProfileId', 'assistant-profiles'], profileId);
  return { connectionId, domainId, table, column };
}

export async function addPolicies(
  founder: Founder,
  project: Project,
  { connectionId, table, column }: { connectionId: string; table: string; column: string },
  tenantId: string,
): Promise<void> {
  const base = `/projects/${project.projectId}/unified-security`;
  const record = founder.record('definition');
  const rule = {
    name: record.text('rule'),
    matcher: { type: 'TABLE_LIST', tables: [{ table }] },
    expression: `${column} = '${record.text('literal')}'`,
    params: { 'key@secret': record.secret('rule secret'), plain: record.text('param') },
  };
  const definition = await founder.create(founder.admin, `${base}/definitions`, {
    connectionId,
    name: record.text('name'),
    clsConfig: {
      connectionTemplate: 'postgres://app:{{ password@secret }}@db.example.com/x',
      params: { 'password@secret': record.secret('secret') },
    },
    rlsConfig: { rules: [rule] },
  });
  const path = `${base}/definitions/${definition.id}`;
  record.readAt(path, '/audit-events?limit=500');
  founder.note(['definitionId'], definition.id);
  const assigned = founder.record('assignment');
  const assignment = await founder.create(founder.admin, `${base}/assignments`, {
    definitionId: definition.id,
    scopeType: 'TENANT',
    tenantId,
    params: { 'key@secret': assigned.secret('secret'), plain: assigned.text('param') },
  });
  assigned.readAt(`${base}/assignments/${assignment.id}`);
  founder.note(['assignmentId'], assignment.id);
  const tested = founder.record('policy test');
  const test = await founder.create(founder.admin, `${path}/tests`, {
    name: tested.text('name'),
    actor: { kind: 'TENANT', tenantId },
    sql: `select ${column} from ${table}`,
    runtimeParams: { 'run@secret': tested.secret('secret') },
    expect: { status: 'compiled' },
  });
  tested.readAt(`${path}/tests`, '/audit-events?limit=500');
  founder.note(['testId'], test.id);
}

export async function addResources(
  founder: Founder,
  owners: Record<string, Session>,
  sources: { connectionId: string; domainId: string },
): Promise<{ dashboards: Record<string, string>; secret: string }> {
  const made = { dashboards: {} as Record<string, string>, secret: '' };
  for (const [name, owner] of Object.entries(owners)) {
    const visual = founder.record('visual');
    const cards = [
      {
        id: 'k',
        title: visual.text('card'),
        dataSource: {
          connectionId: sources.connectionId,
          selectedEntities: [{ table: visual.text('entity') }],
        },
        fields: { columns: [{ column: visual.text('field') }] },
      },
    ];
    const { id: visualId } = await founder.create(owner, '/visuals', {
      title: visual.text('title'),
      description: visual.text('description'),
      tags: [visual.text('tag')],
      frameObject: { cards },
    });
    const listed = '/visuals?scope=organization&limit=500';
    visual.readAt(`/visuals/${visualId}`, listed, '/audit-events?limit=500');
    founder.note(['visualId', 'visuals'], visualId);
    const record = founder.record('dashboard');
    const template = {
      sheets: [
        {
          id: 's',
          title: record.text('sheet'),
          frames: [
            { id: 'f', visualId },
            {
              id: 'g',
              cards: [
                {
                  id: 'k',
                  title: record.text('card'),
                  dataSource: {
                    connectionId: sources.connectionId,
                    domainId: sources.domainId,
                    mode: 'database',
                    selectedEntities: [{ table: record.text('entity') }],
                  },
                  fields: { columns: [{ column: record.text('field') }] },
                  sql: record.text('sql'),
                },
              ],
            },
          ],
        },
      ],
      note: record.text('note'),
    };
    const { id, secret } = await founder.create(owner, '/dashboards', {
      title: record.text('title'),
      description: record.text('description'),
      tags: [record.text('tag')],
      template,
      commitMessage: record.text('commit message'),
    });
    // The shares of a resource show the name of its owner to those who may read it.
    founder.people.get(name)?.readAt(`/dashboards/${id}/shares`, `/visuals/${visualId}/shares`);
    record.readAt(
      `/dashboards/${id}`,
      '/dashboards?scope=organization&limit=500',
      `/dashboards/${id}/versions`,
      '/audit-events?limit=500',
    );
    made.dashboards[name] = founder.note(MANAGED, id);
    founder.templates.push(template);
    if (name !== 'author') continue;
    made.secret = String(secret);
    founder.authorsDashboard = record;
  }
  return made;
}
