import { ASSIGNMENT_ACTOR_FIELD, type AssignmentScope } from '@gatehouse/contract';
import { usageError } from '../../failures.js';
import { KINDS, type KindName, type Target } from '../model/kinds.js';
import { mapTexts, resolveMarkers } from '../model/markers.js';
import { SHARE_TARGETS, type Fields, type ShareFields } from '../model/records.js';
import { kindsOf } from '../model/references.js';
import { mapSecrets, variableOf } from '../model/secrets.js';

/** What the files name, as the API takes it. */
export interface Resolver {
  /** The id of a record; undefined for an unknown key. */
  findId(kind: KindName, key: string): string | undefined;
  /** An environment variable. */
  variable(name: string): string | undefined;
  projectId: string;
}

/** The id of a record of a target's kind. */
export function idOf(resolver: Resolver, target: Target, key: string): string {
  for (const kind of kindsOf(target)) {
    const id = resolver.findId(kind, key);
    if (id !== undefined) return id;
  }
  throw usageError(`there is no ${target} ${JSON.stringify(key)}`);
}

/** Free JSON with ids in place of markers. */
function resolveContent(resolver: Resolver, value: unknown): unknown {
  return mapTexts(value, (text) => resolveMarkers(text, (kind, key) => idOf(resolver, kind as Target, key)));
}

function resolveSecrets(resolver: Resolver, kind: KindName, fields: Fields): Fields {
  return mapSecrets(kind, fields, (value) => {
    const name = variableOf(value) ?? '';
    const secret = resolver.variable(name);
    if (secret === undefined) throw usageError(`the environment variable ${name} is required`);
    return secret;
  });
}

/** The field of an id, such as `tenantId`, for an actor in a file. */
function actorInput(resolver: Resolver, actor: unknown): { kind: AssignmentScope } & Fields {
  const { kind, ...targets } = actor as { kind: AssignmentScope } & Record<string, string>;
  const field = ASSIGNMENT_ACTOR_FIELD[kind];
  if (field === null) return { kind };
  const target = field.replace(/Id$/, '') as 'orgUser' | 'tenant' | 'tenantUser';
  return { kind, [field]: idOf(resolver, target, targets[target] ?? '') };
}

/** A share as the API takes it. */
export function shareInput(resolver: Resolver, share: ShareFields): Fields {
  const { scope, role, expiresAt } = share;
  const target = SHARE_TARGETS.find((name) => share[name] !== undefined);
  const ids = target === undefined ? {} : { [`${target}Id`]: idOf(resolver, target, share[target] ?? '') };
  return { scope, role, ...ids, ...(expiresAt !== undefined && { expiresAt }) };
}

const RENAMED: Readonly<Record<string, string>> = {
  tenant: 'tenantId',
  defaultOwner: 'defaultOwnerId',
  connection: 'connectionId',
  definition: 'definitionId',
};

/** The input of the operations that create and update a record, from its fields in a file. */
export function toInput(resolver: Resolver, kind: KindName, given: Fields): Fields {
  const { references, contents } = KINDS[kind];
  const entries = Object.entries(resolveSecrets(resolver, kind, given)).flatMap(([name, value]) => {
    if (['owner', 'shares', 'members'].includes(name)) return [];
    if (contents.includes(name)) return [[name, resolveContent(resolver, value)] as const];
    const target = references[name];
    if (target !== undefined)
      return [
        [RENAMED[name] ?? name, typeof value === 'string' ? idOf(resolver, target, value) : null] as const,
      ];
    if (name === 'actor') return [[name, actorInput(resolver, value)] as const];
    if (name === 'onlyThisProject')
      return [['projectId', value === true ? resolver.projectId : null] as const];
    return [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

/** Null stands for an absent field, which the operations that create a record do not take. */
export function withoutNulls(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null));
}
