import type { AssistantProfile, Connection, DataModel, Domain } from '@gatehouse/contract';
import { newKey } from '@gatehouse/service';
import { succeeded, unique, type Session } from './api.js';

/** Semantic records made quickly over REST. */

const DOMAINS = '/api/v1/domains';

/** A unique name of a semantic domain in the run: it may contain only lowercase letters and underscores. */
export function uniqueDomainName(): string {
  const letters = [...Buffer.from(newKey())].map((byte) => String.fromCodePoint(97 + (byte % 26)));
  return `domain_${letters.join('')}`;
}

export async function createDomain(admin: Session, fields: Record<string, unknown> = {}): Promise<Domain> {
  const body = { name: uniqueDomainName(), ...fields };
  return succeeded(await admin.post<{ domain: Domain }>(DOMAINS, body)).domain;
}

/** A static connection with one table, `orders`, unless other fields are given. */
export async function createConnection(
  admin: Session,
  fields: Record<string, unknown> = {},
): Promise<Connection> {
  const body = { name: unique('Connection'), ...STATIC, ...fields };
  return succeeded(await admin.post<{ connection: Connection }>('/api/v1/connections', body)).connection;
}

const columns = [
  { name: 'id', type: 'bigint' },
  { name: 'total', type: 'numeric' },
];
const STATIC = {
  type: 'static',
  config: { dialect: 'postgres' },
  catalog: { defaultSchema: 'public', schemas: [{ name: 'public', tables: [{ name: 'orders', columns }] }] },
};

export async function createDatamodel(
  author: Session,
  connectionId: string,
  fields: Record<string, unknown> = {},
): Promise<DataModel> {
  const body = { name: unique('Data model'), connectionId, ...fields };
  return succeeded(await author.post<{ datamodel: DataModel }>('/api/v1/datamodels', body)).datamodel;
}

export async function createAssistantProfile(
  author: Session,
  fields: Record<string, unknown> = {},
): Promise<AssistantProfile> {
  const path = '/api/v1/assistant-profiles';
  const body = { name: unique('Profile'), ...fields };
  return succeeded(await author.post<{ assistantProfile: AssistantProfile }>(path, body)).assistantProfile;
}
