import type { PolicyActor } from '@gatehouse/contract';
import { useQuery } from '@tanstack/react-query';
import { useApi, type Api } from '../../data/api.js';
import { usePeople } from '../../data/people.js';
import { useSession } from '../../session/SessionContext.js';

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

/** The actor of an address, as `TENANT:north`; all tenants if there is none. */
export function parseActor(text: string | undefined): ActorChoice {
  const [kind = '', ...rest] = (text ?? '').split(':');
  const known = KINDS.find((name) => name === kind) ?? 'ALL_TENANTS';
  const id = rest.join(':');
  return { kind: known, id: id === '' || known === 'ALL_TENANTS' ? null : id };
}

/** The same for an address; undefined for all tenants, which is the default. */
export function writeActor({ kind, id }: ActorChoice): string | undefined {
  if (kind === 'ALL_TENANTS') return undefined;
  return id === null ? kind : `${kind}:${id}`;
}

const PART = 1000;
const TENANTS_MAX = 10_000;
const STALE_MS = 5 * 60_000;

async function readTenants(api: Api, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (let offset = 0; offset < TENANTS_MAX; offset += PART) {
    const { tenants, total } = await api.listTenants({ limit: PART, offset }, { signal });
    for (const { id, name } of tenants) names.set(id, name);
    if (offset + PART >= total) break;
  }
  return names;
}

/** Returns the name of an actor by its kind and id, or the id while the name is not known. */
export function useActorNames(): (actor: ActorChoice) => string {
  const api = useApi();
  const { project } = useSession();
  const people = usePeople();
  const { data: tenants } = useQuery({
    queryKey: ['tenants', project.id, 'names'],
    queryFn: ({ signal }) => readTenants(api, signal),
    staleTime: STALE_MS,
  });
  return ({ kind, id }) => {
    if (id === null) return KIND_NAMES[kind];
    return (kind === 'TENANT' ? tenants?.get(id) : people?.get(id)?.name) ?? id;
  };
}
