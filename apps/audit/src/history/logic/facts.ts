import {
  EVENT_CATALOGUE,
  type CloudEvent,
  type ConsumedEvent,
  type PastResource,
  type UserFacts,
} from '@gatehouse/contract';

/** The part of an event about one record that access depends on. */
interface RecordedFact<Change> {
  eventId: string;
  organizationId: string;
  /** The permanent name of the record: the id of a resource or group, the key of a user. */
  record: string;
  /** The position of the event among all events of its record. */
  sequence: string;
  time: Date;
  change: Change;
}

export type PastShare = PastResource['shares'][number];
/** The state of a resource in an event, without its shares. */
export type ResourceState = Omit<PastResource, 'id' | 'shares'> & { linkedVisualIds: readonly string[] };
export type UserState = Omit<UserFacts, 'userId' | 'userKey' | 'groupIds'>;

/** An event that counts among those of its record, but changes nothing that access depends on. */
interface Other {
  kind: 'other';
}
interface Deleted {
  kind: 'deleted';
}
export type ResourceFact = RecordedFact<
  | { kind: 'state'; state: ResourceState }
  | { kind: 'granted' | 'withdrawn'; shares: PastShare[] }
  | Deleted
  | Other
>;
export type UserFact = RecordedFact<{ kind: 'state'; state: UserState } | Deleted | Other> & {
  userId: string;
};
export type GroupFact = RecordedFact<{ kind: 'joined' | 'left'; userKeys: string[] } | Deleted | Other>;

/** A fact of any of the three kinds. */
export type HistoryFact =
  | { about: 'resource'; fact: ResourceFact }
  | { about: 'user'; fact: UserFact }
  | { about: 'group'; fact: GroupFact };

/** The consumer receives every verb of each noun, so that no event of a record is missed. */
type ConsumedNoun = ConsumedEvent<'audit-history'> extends `management.${infer N}.*.v1` ? N : never;

/** For each noun of events: the kind of record, and the service that numbers its events. */
const NOUNS = {
  dashboard: { about: 'resource', source: '/gatehouse/access' },
  dashboard_secret: { about: 'resource', source: '/gatehouse/access' },
  dashboard_share: { about: 'resource', source: '/gatehouse/access' },
  visual: { about: 'resource', source: '/gatehouse/access' },
  visual_share: { about: 'resource', source: '/gatehouse/access' },
  org_user: { about: 'user', source: '/gatehouse/directory' },
  tenant_user: { about: 'user', source: '/gatehouse/directory' },
  group: { about: 'group', source: '/gatehouse/directory' },
  group_member: { about: 'group', source: '/gatehouse/directory' },
} as const satisfies Record<ConsumedNoun, { about: HistoryFact['about']; source: string }>;
type Noun = keyof typeof NOUNS;

const DELETED = { kind: 'deleted' } as const;
const OTHER = { kind: 'other' } as const;

function resourceChange(noun: string, verb: string, data: unknown): ResourceFact['change'] {
  const isShare = noun.endsWith('_share');
  if (isShare && (verb === 'granted' || verb === 'revoked' || verb === 'expired')) {
    const { shares } = EVENT_CATALOGUE['management.dashboard_share.granted.v1'].parse(data);
    const kept = shares.map(({ id, scope, role, subject, expiresAt }) => ({
      id,
      scope,
      role,
      subject,
      expiresAt,
    }));
    return { kind: verb === 'granted' ? 'granted' : 'withdrawn', shares: kept };
  }
  if (noun !== 'dashboard' && noun !== 'visual') return OTHER;
  if (verb === 'deleted') return DELETED;
  if (verb !== 'created' && verb !== 'updated' && verb !== 'taken_over') return OTHER;
  const state = EVENT_CATALOGUE['management.dashboard.created.v1'].parse(data);
  const { projectId, ownerKey, ownerType, ownerTenantKey, isPrivate, linkedVisualIds = [] } = state;
  const owner = { ownerKey, ownerType, ownerTenantKey };
  return { kind: 'state', state: { type: noun, projectId, ...owner, isPrivate, linkedVisualIds } };
}

/** The key and the change of a user. */
function userChange(noun: string, verb: string, data: unknown) {
  const user = EVENT_CATALOGUE['management.tenant_user.created.v1'].parse(data);
  const { id: userId, key: record, name, email, role, isActive, tenantId, tenantKey } = user;
  if (verb === 'deleted') return { userId, record, change: DELETED };
  if (verb !== 'created' && verb !== 'updated') return { userId, record, change: OTHER };
  const type = noun === 'org_user' ? ('organization' as const) : ('tenant' as const);
  const state: UserState = { type, name, email, role, isActive, tenantId, tenantKey };
  return { userId, record, change: { kind: 'state' as const, state } };
}

function groupChange(noun: string, verb: string, data: unknown): GroupFact['change'] {
  if (noun === 'group') return verb === 'deleted' ? DELETED : OTHER;
  if (verb !== 'added' && verb !== 'removed') return OTHER;
  const { members } = EVENT_CATALOGUE['management.group_member.added.v1'].parse(data);
  const userKeys = members.map((member) => member.userKey);
  return { kind: verb === 'added' ? 'joined' : 'left', userKeys };
}

function isNoun(noun: string): noun is Noun {
  return Object.hasOwn(NOUNS, noun);
}

/**
 * The fact of an event about a resource, a user or a group; null for other events.
 *
 * @throws when the event does not match its catalogue, or has no sequence
 */
export function factOf(event: CloudEvent): HistoryFact | null {
  const [, noun = '', verb = ''] = event.type.split('.');
  if (!isNoun(noun) || event.source !== NOUNS[noun].source) return null;
  const { id: eventId, organizationid: organizationId, sequence, subject, data } = event;
  if (sequence === undefined) throw new TypeError('The event has no place among those of its record');
  const base = { eventId, organizationId, sequence, time: new Date(event.time) };
  switch (NOUNS[noun].about) {
    case 'resource':
      return {
        about: 'resource',
        fact: { ...base, record: subject, change: resourceChange(noun, verb, data) },
      };
    case 'user':
      return { about: 'user', fact: { ...base, ...userChange(noun, verb, data) } };
    case 'group':
      return { about: 'group', fact: { ...base, record: subject, change: groupChange(noun, verb, data) } };
  }
}
