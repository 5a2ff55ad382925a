import type { ConnectionConfig, ConnectionSummary, ModelTemplate } from '@gatehouse/contract';
import { MARKED_KINDS, mapTexts, markIds } from '../model/markers.js';
import { referenceFor } from '../model/secrets.js';
import type { Collection, Found } from './collection.js';
import { readAll } from '../../readAll.js';
import { mapConcurrently } from './lists.js';
import type { Session } from './session.js';

/** JSON with markers in place of the ids of known records. */
export function withMarkers(known: Collection, value: unknown): unknown {
  return mapTexts(value, (text) =>
    markIds(text, (id) => {
      const kind = MARKED_KINDS.find((name) => known.keyOf(name, id) !== undefined);
      return kind && { kind, key: known.keyOf(kind, id) ?? id };
    }),
  );
}

function configOf(name: string, config: ConnectionConfig): object {
  if (!('hasPassword' in config)) return config;
  const { hasPassword, ...others } = config;
  return hasPassword ? { ...others, password: referenceFor(name, 'password') } : others;
}

async function readConnection({ client }: Session, summary: ConnectionSummary): Promise<Found> {
  const { id, version, createdAt, name, type, config, rowBarrier, unassignedActors } = summary;
  const fields = { name, type, config: configOf(name, config), rowBarrier, unassignedActors };
  if (type !== 'static') return { id, version, createdAt, fields };
  const { connection } = await client.getConnection({ id });
  return { id, version: connection.version, createdAt, fields: { ...fields, catalog: connection.catalog } };
}

interface Templated {
  id: string;
  version: number;
  createdAt: string;
  name: string;
  description: string;
}

function templated({ id, version, createdAt, name, description }: Templated, others: object): Found {
  return { id, version, createdAt, fields: { name, description, ...others } };
}

async function readTemplates({ client }: Session, known: Collection): Promise<void> {
  const template = (value: ModelTemplate) => withMarkers(known, value);
  const domains = await readAll(client, 'listDomains', {});
  const read = await mapConcurrently(domains, async ({ id }) => client.getDomainTemplate({ domainId: id }));
  known.add(
    'domain',
    read.map(({ domain, ...found }) =>
      templated(domain, { label: domain.label, template: template(found.template) }),
    ),
  );
  const models = await readAll(client, 'listDatamodels', {});
  const details = await mapConcurrently(models, async ({ id }) => client.getDatamodel({ id }));
  known.add(
    'datamodel',
    details.map(({ datamodel }) => {
      const connection = known.keyOf('connection', datamodel.connectionId) ?? datamodel.connectionId;
      return templated(datamodel, { connection, template: template(datamodel.template) });
    }),
  );
}

/** Reads connections, domains, data models and assistant profiles. */
export async function readSemantics(session: Session, known: Collection): Promise<void> {
  const { client } = session;
  const connections = await readAll(client, 'listConnections', {});
  known.add(
    'connection',
    await mapConcurrently(connections, async (found) => readConnection(session, found)),
  );
  await readTemplates(session, known);
  const profiles = await readAll(client, 'listAssistantProfiles', {});
  known.add(
    'assistantProfile',
    profiles.map((profile) => templated(profile, { instructions: profile.instructions })),
  );
}
