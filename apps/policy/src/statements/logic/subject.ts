import {
  AppError,
  invalidField,
  type Params,
  type PersonPrincipal,
  type PolicyActor,
  type Principal,
} from '@gatehouse/contract';
import type { ActorFacts } from '../../preview/logic/facts.js';

/** The fields of a request that only a token with the scope `sql:compile` may set. */
export interface SubjectFields {
  actor?: PolicyActor | undefined;
  runtimeParams?: Params | undefined;
}

/** The actor whose policies restrict the statements: the bearer, or one that the request names. */
export type CompileSubject = { bearer: ActorFacts } | { named: PolicyActor };

const SCOPE = 'sql:compile';

function factsOfBearer(bearer: PersonPrincipal): ActorFacts {
  const { userId: id, userKey: key, email, role } = bearer;
  const person = { id, key, name: null, email, role };
  if (bearer.kind === 'orgUser') return { kind: 'ORG_USER', ...person, tenantId: null, tenantKey: null };
  const { tenantId, tenantKey } = bearer;
  return { kind: 'TENANT_USER', ...person, tenantId, tenantKey };
}

/**
 * Decides whose policies apply. A bearer who is a user compiles for itself and sets no values: values of a
 * request override those of its assignments, such as the tenant that it belongs to.
 *
 * @throws FORBIDDEN for a token that neither acts as a user nor has the scope
 * @throws INVALID_REQUEST for fields that the token may not set, or a missing actor
 */
export function subjectOf(principal: Principal, { actor, runtimeParams }: SubjectFields): CompileSubject {
  if (principal.kind === 'compiler') {
    if (actor === undefined) throw invalidField('actor', `is required with the scope ${SCOPE}`, 'required');
    return { named: actor };
  }
  const isUser = principal.kind === 'orgUser' || principal.kind === 'tenantUser';
  if (!isUser || principal.tokenType !== 'project') {
    const message = `This needs a project token that acts as a user, or one with the scope ${SCOPE}`;
    throw new AppError('FORBIDDEN', { message });
  }
  const surplus = actor === undefined ? 'runtimeParams' : 'actor';
  if (actor !== undefined || runtimeParams !== undefined)
    throw invalidField(surplus, `needs a token with the scope ${SCOPE}`, 'conflict');
  return { bearer: factsOfBearer(principal) };
}
