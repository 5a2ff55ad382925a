import type { Client } from '@gatehouse/client';
import type { ConnectionSummary } from '@gatehouse/contract';
import { LOOPBACK } from './demo.js';
import type { DemoSettings } from './settings.js';
import { DATABASE } from './servers/tables.js';
import type { DemoModelTemplate, DemoProject } from './shape.js';
import type { SourceIds } from './template.js';

const CONNECTION_NAME = 'Meridian warehouse';

/** Creates the connection, domains and data models of a project that do not exist. Reads no catalog. */
export async function loadSemantics(
  admin: Client,
  { domains, dataModels }: DemoProject,
  settings: DemoSettings,
): Promise<SourceIds> {
  const connectionId = await loadConnection(admin, settings);
  const known = {
    domains: (await admin.listDomains()).domains,
    dataModels: (await admin.listDatamodels()).datamodels,
  };
  const domainIds = domains.map(async ({ name, label, description, ...template }) => {
    const present = known.domains.find((domain) => domain.name === name);
    const domain = present ?? (await admin.createDomain({ name, label, description })).domain;
    // The first version has no template.
    if (domain.version === 1) {
      await admin.putDomainTemplate({ domainId: domain.id, ...toInput(template, connectionId) });
    }
    return [name, domain.id] as const;
  });
  const dataModelIds = dataModels.map(async ({ name, description, ...template }) => {
    const present = known.dataModels.find((model) => model.name === name);
    const create = () => admin.createDatamodel({ name, description, connectionId, template });
    return [name, (present ?? (await create()).datamodel).id] as const;
  });
  // Together: a failure of the second kind would otherwise have no handler while the first is awaited.
  const loaded = await Promise.all([Promise.all(domainIds), Promise.all(dataModelIds)]);
  return { connectionId, domainIds: new Map(loaded[0]), dataModelIds: new Map(loaded[1]) };
}

/** A template of a domain, whose datasets name their connections. */
function toInput({ datasets, ...rest }: DemoModelTemplate, connectionId: string) {
  return { ...rest, datasets: datasets.map((dataset) => ({ ...dataset, connectionId })) };
}

/** The connection of a project to the database; undefined if there is none. */
export async function findConnection(admin: Client): Promise<ConnectionSummary | undefined> {
  const { connections } = await admin.listConnections();
  return connections.find(({ name }) => name === CONNECTION_NAME);
}

async function loadConnection(admin: Client, settings: DemoSettings): Promise<string> {
  const present = await findConnection(admin);
  if (present !== undefined) return present.id;
  const config = configOf(settings);
  const { connection } = await admin.createConnection({ name: CONNECTION_NAME, type: 'postgres', config });
  return connection.id;
}

/** Lets the connection of a project follow the port of the database. */
export async function moveConnection(admin: Client, settings: DemoSettings): Promise<void> {
  const present = await findConnection(admin);
  if (present === undefined || !('port' in present.config)) return;
  if (present.config.port === settings.database.port) return;
  await admin.updateConnection({ id: present.id, config: configOf(settings) });
}

function configOf({ database: { port, user, password } }: DemoSettings) {
  return { host: LOOPBACK, port, database: DATABASE, user, password, tls: 'disable' as const };
}
