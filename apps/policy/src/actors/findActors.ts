import {
  type AssignmentScope,
  type ProcedureOutput,
  type UserRole,
  type AppError,
  invalidField,
  type PolicyActor,
  withName,
} from '@gatehouse/contract';
import { CallBatcher, type CallContext, type ServiceClients } from '@gatehouse/service';
import type { ActorFacts } from '../preview/logic/facts.js';
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
  /** Null for a tenant. */
  role: UserRole | null;
  tenantId: string | null;
  tenantKey: string | null;
  /** Always true for a tenant. */
  isActive: boolean;
}

/** The actors that were found. */
export interface KnownActors {
  find(name: ActorName): KnownActor | undefined;
}

const IDS_PER_CALL = 10_000;

const textOf = ({ kind, id }: ActorName) => `${kind} ${id}`;

function add(actors: Map<string, KnownActor>, found: ProcedureOutput<'directory.subjects.lookup'>): void {
  for (const user of found.tenantUsers) actors.set(textOf({ kind: 'TENANT_USER', id: user.id }), user);
  for (const user of found.orgUsers) {
    actors.set(textOf({ kind: 'ORG_USER', id: user.id }), { ...user, tenantId: null, tenantKey: null });
  }
  for (const { id, key, name } of found.tenants) {
    const tenant = { id, key, name, email: null, role: null, tenantId: id, tenantKey: key, isActive: true };
    actors.set(textOf({ kind: 'TENANT', id }), tenant);
  }
}

/** Looks up actors in the directory, within the organization of the caller. */
export class ActorClient {
  readonly #directory: ServiceClients['directory'];
  readonly #lookups = new CallBatcher(
    ({ principal }: CallContext) => principal.organizationId,
    (context, names: ActorName[]) => this.#lookUpAll(context, names),
  );

  constructor(directory: ServiceClients['directory']) {
    this.#directory = directory;
  }

  /** The current actors. Nothing is cached: an id may have been deleted, or reused for another actor. */
  async lookUp(context: CallContext, names: readonly ActorName[]): Promise<KnownActors> {
    const actors = await this.#lookups.load(context, names);
    return { find: (name) => actors.get(textOf(name)) };
  }

  async #lookUpAll(context: CallContext, names: readonly ActorName[]): Promise<Map<string, KnownActor>> {
    const distinct = [...new Map(names.map((name) => [textOf(name), name])).values()];
    const actors = new Map<string, KnownActor>();
    for (let start = 0; start < distinct.length; start += IDS_PER_CALL) {
      const part = distinct.slice(start, start + IDS_PER_CALL);
      const idsOf = (kind: AssignmentScope) =>
        part.flatMap((name) => (name.kind === kind && name.id !== null ? [name.id] : []));
      const found = await this.#directory.subjects.lookup.query(
        {
          tenantUserIds: idsOf('TENANT_USER'),
          orgUserIds: idsOf('ORG_USER'),
          tenantIds: idsOf('TENANT'),
        },
        { context },
      );
      add(actors, found);
    }
    return actors;
  }
}

/** The field of an actor that holds its id. */
const ACTOR_FIELD = {
  ORG_USER: 'orgUserId',
  TENANT: 'tenantId',
  TENANT_USER: 'tenantUserId',
} as const;
const UNKNOWN_ACTOR: Record<keyof typeof ACTOR_FIELD, string> = {
  ORG_USER: 'names no org user of the organization',
  TENANT: 'names no tenant of the organization',
  TENANT_USER: 'names no tenant user of the organization',
};

function unknownActor(path: string, kind: keyof typeof ACTOR_FIELD, id: string): AppError {
  return invalidField(path + ACTOR_FIELD[kind], withName(UNKNOWN_ACTOR[kind], id), 'reference');
}

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

/** The actor as the API names it. Only all tenants have a null id. */
export function toPolicyActor({ kind, id }: ActorName): PolicyActor {
  if (kind === 'ALL_TENANTS' || id === null) return { kind: 'ALL_TENANTS' };
  return { kind, [ACTOR_FIELD[kind]]: id } as PolicyActor;
}

/**
 * The key of the actor of an assignment.
 * @param path prefix of the field names in errors
 * @throws INVALID_REQUEST if there is no such actor
 */
export async function getActorKey(
  deps: { actors: ActorClient },
  { name, path }: { name: ActorName; path: string },
  context: CallContext,
): Promise<string> {
  if (name.kind === 'ALL_TENANTS') return ALL_TENANTS_KEY;
  const actor = (await deps.actors.lookUp(context, [name])).find(name);
  if (!actor) throw unknownActor(path, name.kind, name.id ?? '');
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

/** The facts of an actor that a resolution uses. */
export function factsOfKnown(kind: AssignmentScope, actor: KnownActor | undefined): ActorFacts {
  if (!actor) return { ...ALL_TENANTS, kind };
  const { isActive: _, ...facts } = actor;
  return { ...facts, kind };
}

/**
 * The facts of an actor.
 * @param path prefix of the field names in errors
 * @param mustBeActive rejects a deactivated user
 * @throws INVALID_REQUEST if there is no such actor
 */
export async function getActorFacts(
  deps: { actors: ActorClient },
  { actor, path, mustBeActive = false }: { actor: PolicyActor; path: string; mustBeActive?: boolean },
  context: CallContext,
): Promise<ActorFacts> {
  if (actor.kind === 'ALL_TENANTS') return ALL_TENANTS;
  const name = nameOf(actor);
  const found = (await deps.actors.lookUp(context, [name])).find(name);
  if (!found) throw unknownActor(path, actor.kind, name.id ?? '');
  if (mustBeActive && !found.isActive) {
    const message = withName('names a deactivated user', found.id);
    throw invalidField(path + ACTOR_FIELD[actor.kind], message, 'reference');
  }
  return factsOfKnown(actor.kind, found);
}
