import { GatehouseError, type Client } from '@gatehouse/client';
import { Id } from '@gatehouse/contract';
import { usageError } from '../failures.js';
import { readAll } from '../readAll.js';
import { isId, type NameKind } from './nameKinds.js';

interface Candidate {
  id: string;
  /** What a user may call it. */
  names: readonly string[];
}

type Records = readonly Record<string, unknown>[];

/** What a text may name. */
export interface Naming {
  kind: NameKind;
  text: string;
  projectId: string;
}

/** What an ADMIN may administer without access to it; the API rejects others. */
async function listHidden(client: Client, { kind, text }: Naming): Promise<Records> {
  const found = { search: text.slice(0, 200), scope: 'organization' } as const;
  if (kind === 'dashboard') return readAll(client, 'listDashboards', found);
  return kind === 'visual' ? readAll(client, 'listVisuals', found) : [];
}

/** The records whose names may be the text: all of a kind, or those that a search finds. */
async function listRecords(client: Client, { kind, text, projectId }: Naming): Promise<Records> {
  const found = { search: text.slice(0, 200) };
  switch (kind) {
    case 'dashboard':
      return readAll(client, 'listDashboards', found);
    case 'visual':
      return readAll(client, 'listVisuals', found);
    case 'group':
      return readAll(client, 'listGroups', found);
    case 'tenant':
      return readAll(client, 'listTenants', found);
    case 'tenantUser':
      return readAll(client, 'listTenantUsers', found);
    case 'orgUser':
      return readAll(client, 'listOrgUsers', found);
    case 'person':
      return readAll(client, 'listUnifiedUsers', found);
    case 'project':
      return readAll(client, 'listProjects', {});
    case 'domain':
      return readAll(client, 'listDomains', {});
    case 'connection':
      return readAll(client, 'listConnections', {});
    case 'datamodel':
      return readAll(client, 'listDatamodels', {});
    case 'assistantProfile':
      return readAll(client, 'listAssistantProfiles', {});
    case 'definition':
      return (await readAll(client, 'listPolicyDefinitions', { projectId })).map((item) => item.definition);
    case 'webhook':
      return readAll(client, 'listWebhooks', {});
  }
}

function findCandidates(records: Records, name: string): Candidate[] {
  const found: Candidate[] = [];
  for (const { id, title, name: own, email, url } of records) {
    const names = [title, own, email, url].filter((text) => typeof text === 'string');
    if (names.includes(name)) found.push({ id: String(id), names });
  }
  return found;
}

/** Whether a record has this id: the ids of tenants and their users have any form. */
async function exists(client: Client, kind: NameKind, id: string): Promise<boolean> {
  if (!Id.safeParse(id).success) return false;
  try {
    if (kind === 'tenant') await client.getTenant({ id });
    else if (kind === 'tenantUser') await client.getTenantUser({ id });
    else if (kind === 'person') await client.getUserContext({ id });
    else return false;
    return true;
  } catch (error) {
    if (error instanceof GatehouseError && error.status === 404) return false;
    throw error;
  }
}

/**
 * The id of a record by its id or its name.
 *
 * @returns the text itself if no record has this name: the API then reports that there is none
 * @throws CommandError with the ids if several records have the name
 */
export async function findByName(client: Client, naming: Naming): Promise<string> {
  const { kind, text } = naming;
  if (text === '' || isId(kind, text)) return text;
  try {
    if (await exists(client, kind, text)) return text;
    const seen = findCandidates(await listRecords(client, naming), text);
    const found = seen.length > 0 ? seen : findCandidates(await listHidden(client, naming), text);
    if (found.length > 1) {
      const candidates = found.map(({ id, names }) => `${id} (${names.join(', ')})`).join('; ');
      throw usageError(`${JSON.stringify(text)} is ambiguous: ${candidates}`);
    }
    return found[0]?.id ?? text;
  } catch (error) {
    // Who may not list the records may still know an id.
    if (error instanceof GatehouseError && [400, 403].includes(error.status)) return text;
    throw error;
  }
}
