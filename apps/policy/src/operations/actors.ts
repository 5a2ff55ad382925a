import { invalidField, type AssignmentScope, type PolicyActor } from '@gatehouse/contract';
import type { CallContext } from '@gatehouse/service';
import type { ActorFacts } from '../logic/model.js';
import type { Policy } from '../policy.js';
import { ALL_TENANTS_KEY } from '../store/documents.js';
import type { ActorName, KnownActor } from './actorBook.js';

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

/** The key of an actor that an assignment names. Throws INVALID_REQUEST with the field when there is no such actor. */
export async function getActorKey(
  policy: Pick<Policy, 'actors'>,
  { name, path }: { name: ActorName; path: string },
  context: CallContext,
): Promise<string> {
  if (name.kind === 'ALL_TENANTS') return ALL_TENANTS_KEY;
  const actor = (await policy.actors.lookUp(context, [name])).find(name);
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

/** What a resolution needs of an actor. */
export function factsOfKnown(kind: AssignmentScope, actor: KnownActor | undefined): ActorFacts {
  return actor ? { ...ALL_TENANTS, ...actor, kind } : { ...ALL_TENANTS, kind };
}

async function findFacts(
  policy: Pick<Policy, 'actors'>,
  name: ActorName,
  context: CallContext,
): Promise<ActorFacts | null> {
  if (name.kind === 'ALL_TENANTS' || name.id === null) return ALL_TENANTS;
  const actor = (await policy.actors.lookUp(context, [name])).find(name);
  return actor ? factsOfKnown(name.kind, actor) : null;
}

/** The facts about an actor. Throws INVALID_REQUEST with the field, after `path`, when there is no such actor. */
export async function getActorFacts(
  policy: Pick<Policy, 'actors'>,
  { actor, path }: { actor: PolicyActor; path: string },
  context: CallContext,
): Promise<ActorFacts> {
  const facts = await findFacts(policy, nameOf(actor), context);
  if (facts) return facts;
  if (actor.kind === 'ALL_TENANTS') return ALL_TENANTS;
  throw invalidField(path + ACTOR_FIELD[actor.kind], NOBODY[actor.kind]);
}
