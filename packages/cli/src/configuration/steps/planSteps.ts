import type { Change, FieldChange } from '../diff/changes.js';
import type { KindName } from '../model/kinds.js';
import {
  addressOf,
  membersOf,
  nameOf,
  sharesOf,
  type ActualRecord,
  type ConfigurationRecord,
  type Fields,
} from '../model/records.js';
import { isPerson, mayCreate, raise, rankOf } from '../model/owners.js';
import { orderCreations } from './orderCreations.js';
import type { Step } from './steps.js';

/** Requests with more entries are rejected by the API. */
const SHARES_AT_ONCE = 500;
const MEMBERS_AT_ONCE = 100;

const DIRECTORY = ['tenant', 'orgUser', 'tenantUser', 'group'] as const satisfies readonly KindName[];
const RESOURCES: readonly KindName[] = ['visual', 'dashboard'];
const isDirectory = (kind: KindName) => DIRECTORY.some((known) => known === kind);

type Creation = Extract<Change, { action: 'create' }>;
type Update = Extract<Change, { action: 'update' }>;

/** The steps of an apply, and why some of it is impossible. */
export interface StepPlan {
  steps: Step[];
  problems: string[];
}

const chunksOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );

const without = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

function grants({ kind, key, fields }: ConfigurationRecord): Step[] {
  return chunksOf(sharesOf(fields), SHARES_AT_ONCE).map((shares) => ({ action: 'grant', kind, key, shares }));
}

function members({ kind, key, fields }: ConfigurationRecord): Step[] {
  return chunksOf(membersOf(fields), MEMBERS_AT_ONCE).map((some) => {
    return { action: 'addMembers', kind, key, members: some };
  });
}

/** The steps of the lists of a record that exists: what ends comes first. */
function listSteps({ kind, key, fields }: Update): Step[] {
  return fields.flatMap((change): Step[] => {
    if ('before' in change) return [];
    if (change.field === 'shares')
      return [
        ...chunksOf(change.removed, SHARES_AT_ONCE).map((shares): Step => {
          return { action: 'revoke', kind, key, shares };
        }),
        ...grants({ kind, key, fields: { shares: change.added } }),
      ];
    return [
      ...chunksOf(change.removed, MEMBERS_AT_ONCE).map((some): Step => {
        return { action: 'removeMembers', kind, key, members: some };
      }),
      ...members({ kind, key, fields: { members: change.added } }),
    ];
  });
}

function fieldStep({ kind, key, fields }: Update, full: Fields): Step[] {
  const names = fields.flatMap((change) => ('before' in change ? [change.field] : []));
  if (names.length === 0) return [];
  // With the secrets of the file, which a comparison does not show.
  return [
    { action: 'update', kind, key, fields: Object.fromEntries(names.map((name) => [name, full[name]])) },
  ];
}

/** Whether a change takes from a user what it may need to create its resources. */
function isLowering(kind: KindName, fields: readonly FieldChange[]): boolean {
  return (
    isPerson(kind) &&
    fields.some((change) => {
      if (!('before' in change)) return false;
      if (change.field === 'isActive') return change.after === false;
      return change.field === 'role' && rankOf(change.after) < rankOf(change.before);
    })
  );
}

/** A new user who is to own something is active and may create until everything is there. */
function createPerson(creation: Creation, isOwner: boolean): { first: Step; last: Step[] } {
  const { kind, key, fields } = creation;
  if (!isOwner || !isPerson(kind) || mayCreate(kind, fields))
    return { first: { action: 'create', kind, key, fields }, last: [] };
  const { role, isActive } = fields;
  return {
    first: { action: 'create', kind, key, fields: { ...fields, ...raise(kind, fields) } },
    last: [{ action: 'update', kind, key, fields: { role, isActive } }],
  };
}

interface Phases {
  directory: Step[];
  lists: Step[];
  creations: Step[];
  updates: Step[];
  deletions: Step[];
  last: Step[];
}

function addDirectory(phases: Phases, creation: Creation, owners: ReadonlySet<string>): void {
  const { kind, key, fields } = creation;
  if (isPerson(kind)) {
    const { first, last } = createPerson(creation, owners.has(key));
    phases.directory.push(first);
    phases.last.push(...last);
    return;
  }
  // The default owner is a user of the tenant, who does not exist yet.
  phases.directory.push({
    action: 'create',
    kind,
    key,
    fields: without(fields, ['members', 'defaultOwner']),
  });
  const { defaultOwner } = fields;
  if (typeof defaultOwner === 'string')
    phases.lists.push({ action: 'update', kind, key, fields: { defaultOwner } });
  phases.lists.push(...members(creation));
}

function addCreations(phases: Phases, records: readonly Creation[]): void {
  for (const { record, later } of orderCreations(records)) {
    const { kind, key } = record;
    const fields = without(record.fields, ['shares', ...Object.keys(later)]);
    phases.creations.push({ action: 'create', kind, key, fields }, ...grants(record));
    if (Object.keys(later).length > 0) phases.updates.push({ action: 'update', kind, key, fields: later });
  }
}

/** The key of the owner of a changed resource, if only the owner may make the change. */
function writerOf(change: Change, actual: ReadonlyMap<string, ActualRecord>): string | null {
  if (!RESOURCES.includes(change.kind)) return null;
  const record = actual.get(addressOf(change));
  if (record?.isCallersOwn === true) return null;
  const fields = change.action === 'create' ? change.fields : record?.fields;
  return String(fields?.['owner']);
}

/** The owners of changed resources who exist and may not change them, each with one of the changes. */
function findBarredOwners(
  changes: readonly Change[],
  raised: ReadonlySet<string>,
  actual: ReadonlyMap<string, ActualRecord>,
): Map<ActualRecord, Change> {
  const barred = new Map<ActualRecord, Change>();
  for (const change of changes) {
    const key = writerOf(change, actual);
    const owner = actual.get(`orgUser ${key}`) ?? actual.get(`tenantUser ${key}`);
    if (key === null || !owner || raised.has(key) || mayCreate(owner.kind, owner.fields)) continue;
    barred.set(owner, change);
  }
  return barred;
}

const barredProblem = ({ key }: ActualRecord, change: Change) =>
  `${nameOf(change)}: its owner ${key} must be active and an AUTHOR or POWER_USER to ${change.action} it; ` +
  '--raise-owners makes it so until the end of the apply';

const unrestorableProblem = ({ key }: ActualRecord, change: Change) =>
  `${nameOf(change)}: its owner ${key} has no file, from which an interrupted apply restores it; add one`;

/**
 * Raises an owner at first, and gives it the role and the activity of its file at the end. Returns false for
 * an owner without a file that the plan does not delete: if the apply is interrupted, nothing else shows that
 * the owner was raised.
 */
function addRaise(phases: Phases, { kind, key, fields }: ActualRecord, wanted: Fields | undefined): boolean {
  const isDeleted = phases.deletions.some((step) => step.kind === kind && step.key === key);
  if (!isPerson(kind) || (!wanted && !isDeleted)) return false;
  phases.directory.push({ action: 'update', kind, key, fields: raise(kind, fields) });
  if (wanted) {
    const { role, isActive } = wanted;
    phases.last.push({ action: 'update', kind, key, fields: { role, isActive } });
  }
  return true;
}

/** A default owner cannot be deleted, so that a tenant gives its own up first. */
function deletions(changes: readonly Change[], actual: ReadonlyMap<string, ActualRecord>): Step[] {
  const deleted = changes.filter(({ action }) => action === 'delete');
  const released = deleted.filter((change) => actual.get(addressOf(change))?.fields['defaultOwner'] != null);
  return [
    ...released.map(({ kind, key }): Step => {
      return { action: 'update', kind, key, fields: { defaultOwner: null } };
    }),
    ...deleted.map(({ kind, key }): Step => ({ action: 'delete', kind, key })),
  ];
}

/** The files, the project, and whether owners are raised who may not create their resources. */
export interface States {
  desired: readonly ConfigurationRecord[];
  actual: readonly ActualRecord[];
  raisesOwners: boolean;
}

/** The steps that turn the project into what the files describe, each after those it depends on. */
export function planSteps(changes: readonly Change[], { desired, actual, raisesOwners }: States): StepPlan {
  const wanted = new Map(desired.map((record) => [addressOf(record), record]));
  const creations = changes.filter((change) => change.action === 'create');
  const updates = changes.filter((change) => change.action === 'update');
  const owners = new Set(
    creations.filter(({ kind }) => RESOURCES.includes(kind)).map(({ fields }) => String(fields['owner'])),
  );
  const phases: Phases = { directory: [], lists: [], creations: [], updates: [], deletions: [], last: [] };
  const raised = new Set<string>();
  for (const creation of creations.filter(({ kind }) => isDirectory(kind)))
    addDirectory(phases, creation, owners);
  addCreations(
    phases,
    creations.filter(({ kind }) => !isDirectory(kind)),
  );
  for (const update of updates) {
    const steps = fieldStep(update, wanted.get(addressOf(update))?.fields ?? {});
    if (isLowering(update.kind, update.fields)) phases.last.push(...steps);
    else if (isPerson(update.kind)) {
      phases.directory.push(...steps);
      if (mayCreate(update.kind, wanted.get(addressOf(update))?.fields ?? {})) raised.add(update.key);
    } else if (isDirectory(update.kind)) phases.lists.push(...steps);
    else phases.updates.push(...steps);
    phases.lists.push(...listSteps(update));
  }
  const present = new Map(actual.map((record) => [addressOf(record), record]));
  phases.deletions.push(...deletions(changes, present));
  const barred = [...findBarredOwners(changes, raised, present)];
  const problems = barred.flatMap(([owner, change]) => {
    if (!raisesOwners) return barredProblem(owner, change);
    const isRaised = addRaise(phases, owner, wanted.get(addressOf(owner))?.fields);
    return isRaised ? [] : unrestorableProblem(owner, change);
  });
  return {
    steps: [
      ...phases.directory,
      ...phases.lists,
      ...phases.creations,
      ...phases.updates,
      ...phases.deletions,
      ...phases.last,
    ],
    problems,
  };
}
