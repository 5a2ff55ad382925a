import type { PolicyActor } from '@gatehouse/contract';
import { useNames } from '../../data/names.js';

export type ActorKind = PolicyActor['kind'];

/** The names of the kinds of actor. */
export const KIND_NAMES: Readonly<Record<ActorKind, string>> = {
  ALL_TENANTS: 'All tenants',
  TENANT: 'Tenant',
  TENANT_USER: 'Tenant user',
  ORG_USER: 'Org user',
};
const KINDS = ['ALL_TENANTS', 'TENANT', 'TENANT_USER', 'ORG_USER'] as const satisfies readonly ActorKind[];
export const kindOptions = KINDS.map((kind) => ({ value: kind, label: KIND_NAMES[kind] }));

/** An actor that is being chosen: its id is null until it is. */
export interface ActorChoice {
  kind: ActorKind;
  id: string | null;
}

/** The actor of a request; null while none is chosen. */
export function actorOf({ kind, id }: ActorChoice): PolicyActor | null {
  if (kind === 'ALL_TENANTS') return { kind };
  if (id === null) return null;
  if (kind === 'TENANT') return { kind, tenantId: id };
  return kind === 'TENANT_USER' ? { kind, tenantUserId: id } : { kind, orgUserId: id };
}

/** The kind and the id of an actor. */
export function choiceOf(actor: PolicyActor): ActorChoice {
  switch (actor.kind) {
    case 'ALL_TENANTS':
      return { kind: actor.kind, id: null };
    case 'TENANT':
      return { kind: actor.kind, id: actor.tenantId };
    case 'TENANT_USER':
      return { kind: actor.kind, id: actor.tenantUserId };
    case 'ORG_USER':
      return { kind: actor.kind, id: actor.orgUserId };
  }
}

/** The actor of an address, as `TENANT:north`; of the default kind if there is none. */
export function parseActor(text: string | undefined, defaultKind: ActorKind): ActorChoice {
  const [kind = '', ...rest] = (text ?? '').split(':');
  const known = KINDS.find((name) => name === kind) ?? defaultKind;
  const id = rest.join(':');
  return { kind: known, id: id === '' || known === 'ALL_TENANTS' ? null : id };
}

/** The same for an address. */
export function writeActor({ kind, id }: ActorChoice): string {
  return id === null ? kind : `${kind}:${id}`;
}

const idsOf = (actors: readonly ActorChoice[], isTenant: boolean) =>
  actors.flatMap(({ kind, id }) => (id !== null && (kind === 'TENANT') === isTenant ? [id] : []));

/** The names of actors by their kinds and ids, or the ids while the names are not there. */
export function useActorNames(actors: readonly ActorChoice[]): string[] {
  const tenants = useNames('tenants', idsOf(actors, true));
  const people = useNames('people', idsOf(actors, false));
  return actors.map(({ kind, id }) => {
    if (id === null) return KIND_NAMES[kind];
    return (kind === 'TENANT' ? tenants : people).get(id)?.name ?? id;
  });
}
