import type { AssignmentScope, ProcedureOutput, UserRole } from '@gatehouse/contract';
import { SharedCalls, type CallContext, type ServiceClients } from '@gatehouse/service';

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
}

/** The actors that exist. */
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
    const tenant = { id, key, name, email: null, role: null, tenantId: id, tenantKey: key };
    actors.set(textOf({ kind: 'TENANT', id }), tenant);
  }
}

/** What the directory says of actors, always within the caller's organization. */
export class ActorBook {
  readonly #directory: ServiceClients['directory'];
  readonly #lookups = new SharedCalls(
    ({ principal }: CallContext) => principal.organizationId,
    (context, names: ActorName[]) => this.#lookUpAll(context, names),
  );

  constructor(directory: ServiceClients['directory']) {
    this.#directory = directory;
  }

  /** As they are now: an id may just have been deleted, or given again to somebody else. */
  async lookUp(context: CallContext, names: readonly ActorName[]): Promise<KnownActors> {
    const actors = await this.#lookups.make(context, names);
    return { find: (name) => actors.get(textOf(name)) };
  }

  async #lookUpAll(context: CallContext, names: readonly ActorName[]): Promise<Map<string, KnownActor>> {
    const distinct = [...new Map(names.map((name) => [textOf(name), name])).values()];
    const actors = new Map<string, KnownActor>();
    for (let start = 0; start < distinct.length; start += IDS_PER_CALL) {
      const part = distinct.slice(start, start + IDS_PER_CALL);
      const idsOf = (kind: AssignmentScope) =>
        part.flatMap((name) => (name.kind === kind && name.id !== null ? [name.id] : []));
      const found = await this.#directory.subjects.lookup(context, {
        tenantUserIds: idsOf('TENANT_USER'),
        orgUserIds: idsOf('ORG_USER'),
        tenantIds: idsOf('TENANT'),
      });
      add(actors, found);
    }
    return actors;
  }
}
