import type { Client, CallOptions } from '@gatehouse/client';
import type { KindName } from '../model/kinds.js';
import type { Fields } from '../model/records.js';
import { withoutNulls } from './toInput.js';

/** A record after a write. */
export interface Written {
  id: string;
  version: number;
}

/** The place of a record: its project, and for a test its definition. */
export interface Place {
  projectId: string;
  /** The input of an update or a deletion has the id under this. */
  id: string;
  definitionId?: string | undefined;
}

export interface Operations {
  create(client: Client, input: Fields, place: Omit<Place, 'id'>): Promise<Written>;
  update(client: Client, input: Fields, at: { place: Place; options: CallOptions }): Promise<Written>;
  remove(client: Client, place: Place, options: CallOptions): Promise<unknown>;
}

/** The operations take fields that the schemas of the files have checked. */
type Calls = Record<string, (input: Fields, options?: CallOptions) => Promise<Record<string, unknown>>>;
const callsOf = (client: Client) => client as unknown as Calls;

async function call(client: Client, operation: string, ...given: [Fields, CallOptions?]) {
  const run = callsOf(client)[operation];
  if (!run) throw new Error(`No operation ${operation}`);
  return run(...given);
}

/** The operations of records that have an id and nothing else in their path. */
function plain(noun: string, field = noun.charAt(0).toLowerCase() + noun.slice(1)): Operations {
  const written = (answer: Record<string, unknown>) => answer[field] as Written;
  return {
    create: async (client, input) => written(await call(client, `create${noun}`, withoutNulls(input))),
    update: async (client, input, { place: { id }, options }) =>
      written(await call(client, `update${noun}`, { ...input, id }, options)),
    remove: async (client, { id }, options) => call(client, `delete${noun}`, { id }, options),
  };
}

/** The tag of a version. A server compares the version alone; the rest is for caches. */
export function tagOf(version: number): string {
  return `"${version}-00000000"`;
}

type DomainAnswer = { domain: Written };

const domain: Operations = {
  async create(client, { template, ...input }) {
    const created = (await call(client, 'createDomain', input)) as DomainAnswer;
    const { id: domainId, version } = created.domain;
    const options = { ifMatch: tagOf(version) };
    const answer = await call(client, 'putDomainTemplate', { domainId, ...(template as Fields) }, options);
    return (answer as DomainAnswer).domain;
  },
  async update(client, { template, ...input }, { place: { id: domainId }, options }) {
    let written: Written | undefined;
    if (Object.keys(input).length > 0)
      written = ((await call(client, 'updateDomain', { domainId, ...input }, options)) as DomainAnswer)
        .domain;
    if (template === undefined) return written ?? { id: domainId, version: 0 };
    const next = written === undefined ? options : { ifMatch: tagOf(written.version) };
    const answer = await call(client, 'putDomainTemplate', { domainId, ...(template as Fields) }, next);
    return (answer as DomainAnswer).domain;
  },
  remove: async (client, { id: domainId }, options) => call(client, 'deleteDomain', { domainId }, options),
};

type PolicyAnswer = { data: Record<string, Written> };

/** The operations of policies, whose paths have the project. */
function ofPolicies(noun: string, field: 'definition' | 'assignment' | 'test'): Operations {
  const idField = `${field}Id`;
  const written = (answer: Record<string, unknown>) => (answer as PolicyAnswer).data[field] as Written;
  const pathOf = ({ projectId, definitionId, id }: Place) => ({
    projectId,
    ...(field === 'test' && { definitionId }),
    [idField]: id,
  });
  return {
    create: async (client, { actor, ...input }, { projectId }) => {
      const fields = field === 'assignment' ? { ...input, ...scopeOf(actor) } : { ...input, actor };
      return written(await call(client, `create${noun}`, withoutNulls({ projectId, ...fields })));
    },
    update: async (client, { definitionId: _definition, ...input }, { place, options }) =>
      written(await call(client, `update${noun}`, { ...input, ...pathOf(place) }, options)),
    remove: async (client, place, options) => call(client, `delete${noun}`, pathOf(place), options),
  };
}

function scopeOf(actor: unknown): Fields {
  const { kind, ...ids } = actor as Fields;
  return { scopeType: kind, ...ids };
}

export const OPERATIONS: Readonly<Record<KindName, Operations>> = {
  tenant: plain('Tenant'),
  orgUser: plain('OrgUser', 'user'),
  tenantUser: plain('TenantUser', 'user'),
  group: plain('Group'),
  connection: plain('Connection'),
  domain,
  datamodel: plain('Datamodel'),
  assistantProfile: plain('AssistantProfile'),
  visual: plain('Visual'),
  dashboard: plain('Dashboard'),
  policyDefinition: ofPolicies('PolicyDefinition', 'definition'),
  policyAssignment: ofPolicies('PolicyAssignment', 'assignment'),
  policyTest: ofPolicies('PolicyTest', 'test'),
  webhook: plain('Webhook'),
};
