import {
  invalidField,
  type AssignmentScope,
  type PolicyActor,
  type ProcedureOutput,
} from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { ActorFacts } from '../logic/model.js';
import type { Policy } from '../policy.js';
import { ALL_TENANTS_KEY } from '../store/documents.js';

/** Names an actor by its kind and public id; the id is null for all tenants. */
export interface ActorName {
  kind: AssignmentScope;
  id: string | null;
}

/** A tenant or person that the directory knows. */
export interface KnownActor {
  id: string;
  key: string;
  name: string;
  email: string | null;
  tenantId: string | null;
  tenantKey: string | null;
}

/** The actors that exist. */
export interface KnownActors {
  find(name: ActorName): KnownActor | undefined;
}

/** The field of an actor that holds its id. */
const ACTOR_FIELD = {
  ORG_USER: 'orgUserId',
  TENANT: 'tenantId',
  TENANT_USER: 'tenantUserId',
} as const;
const NOBODY: Record<keyof typeof ACTOR_FIELD, string> = {
  ORG_USER: 'names no org user of the organization',
  TENANT: 'names no tenant of the organization',
  TENANT_USER: 'names no tenant user of the organization',
};
const IDS_PER_CALL = 10_000;

function nameOf(actor: PolicyActor): ActorName {
  switch (actor.kind) {
    case 'ORG_USER':
      return { kind: actor.kind, id: actor.orgUserId };
    case 'TENANT':
      return { kind: actor.kind, id: actor.tenantId };
    case 'TENANT_USER':
      return { kind: actor.kind, id: actor.tenantUserId };
    case 'ALL_TENANTS':
      return { kind: actor.kind, id: null };
  }
}

/** The actor as the API names it. An id that is null belongs to all tenants alone. */
export function toPolicyActor({ kind, id }: ActorName): PolicyActor {
  if (kind === 'ALL_TENANTS' || id === null) return { kind: 'ALL_TENANTS' };
  return { kind, [ACTOR_FIELD[kind]]: id } as PolicyActor;
}

const textOf = ({ kind, id }: ActorName) => `${kind} ${id}`;

function add(actors: Map<string, KnownActor>, found: ProcedureOutput<'directory.subjects.lookup'>): void {
  for (const { id, key, name, email, tenantId, tenantKey } of found.tenantUsers) {
    actors.set(textOf({ kind: 'TENANT_USER', id }), { id, key, name, email, tenantId, tenantKey });
  }
  for (const { id, key, name, email } of found.orgUsers) {
    actors.set(textOf({ kind: 'ORG_USER', id }), { id, key, name, email, tenantId: null, tenantKey: null });
  }
  for (const { id, key, name } of found.tenants) {
    actors.set(textOf({ kind: 'TENANT', id }), { id, key, name, email: null, tenantId: id, tenantKey: key });
  }
}

/** Asks the directory about many actors at once. */
export async function lookUpActors(
  { directory }: Pick<Policy, 'directory'>,
  names: readonly ActorName[],
  context: CallContext,
): Promise<KnownActors> {
  const distinct = [...new Map(names.map((name) => [textOf(name), name])).values()];
  const actors = new Map<string, KnownActor>();
  for (let start = 0; start < distinct.length; start += IDS_PER_CALL) {
    const part = distinct.slice(start, start + IDS_PER_CALL);
    const idsOf = (kind: AssignmentScope) =>
      part.flatMap((name) => (name.kind === kind && name.id !== null ? [name.id] : []));
    const found = await directory.subjects.lookup(context, {
      tenantUserIds: idsOf('TENANT_USER'),
      orgUserIds: idsOf('ORG_USER'),
      tenantIds: idsOf('TENANT'),
    });
    add(actors, found);
  }
  return { find: (name) => actors.get(textOf(name)) };
}

/** The key of an actor that an assignment names. Throws INVALID_REQUEST with the field when there is no such actor. */
export async function getActorKey(
  policy: Pick<Policy, 'directory'>,
  { name, path }: { name: ActorName; path: string },
  context: CallContext,
): Promise<string> {
  if (name.kind === 'ALL_TENANTS') return ALL_TENANTS_KEY;
  const actor = (await lookUpActors(policy, [name], context)).find(name);
  if (!actor) throw invalidField(path + ACTOR_FIELD[name.kind], NOBODY[name.kind]);
  return actor.key;
}

const ALL_TENANTS: ActorFacts = {
  kind: 'ALL_TENANTS',
  id: null,
  key: null,
  name: null,
  email: null,
  role: null,
  tenantId: null,
  tenantKey: null,
};

/** What a resolution needs of an actor that a list shows; its role is not among it. */
export function factsOfKnown(kind: AssignmentScope, actor: KnownActor | undefined): ActorFacts {
  return actor ? { ...ALL_TENANTS, ...actor, kind } : { ...ALL_TENANTS, kind };
}

async function findFacts(
  policy: Pick<Policy, 'directory'>,
  { kind, id }: ActorName,
  context: CallContext,
): Promise<ActorFacts | null> {
  if (kind === 'ALL_TENANTS' || id === null) return ALL_TENANTS;
  if (kind === 'TENANT') {
    const tenant = (await lookUpActors(policy, [{ kind, id }], context)).find({ kind, id });
    return tenant ? factsOfKnown(kind, tenant) : null;
  }
  const { user } = await policy.directory.subjects.getUser(context, { userId: id });
  if (user?.type !== (kind === 'ORG_USER' ? 'organization' : 'tenant')) return null;
  const { userId, userKey: key, name, email, role, tenantId, tenantKey } = user;
  return { kind, id: userId, key, name, email, role, tenantId, tenantKey };
}

/** The facts about an actor. Throws INVALID_REQUEST with the field, after `path`, when there is no such actor. */
export async function getActorFacts(
  policy: Pick<Policy, 'directory'>,
  { actor, path }: { actor: PolicyActor; path: string },
  context: CallContext,
): Promise<ActorFacts> {
  const facts = await findFacts(policy, nameOf(actor), context);
  if (facts) return facts;
  if (actor.kind === 'ALL_TENANTS') return ALL_TENANTS;
  throw invalidField(path + ACTOR_FIELD[actor.kind], NOBODY[actor.kind]);
}

/** The keys that an assignment which may apply to the actor names. */
export function candidateKeys({ kind, key, tenantKey }: ActorFacts): string[] {
  const own = [key, tenantKey].filter((each) => each !== null);
  return kind === 'ORG_USER' ? own : [ALL_TENANTS_KEY, ...own];
}
