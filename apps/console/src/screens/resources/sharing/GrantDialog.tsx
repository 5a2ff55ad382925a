import type { AccessLevel, ShareListEntry, ShareScope } from '@gatehouse/contract';
import { Alert, Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/ErrorNotice.js';
import { Icon } from '../../../components/Icon.js';
import { notifyDone, notifyUndo } from '../../../components/notify.js';
import { Picker, type Choice } from '../../../components/Picker.js';
import { UnsavedGuard } from '../../../components/UnsavedGuard.js';
import { useApi } from '../../../data/api.js';
import { groupSource, peopleSource, tenantSource, type PersonChoice } from '../../../data/choices.js';
import type { List } from '../../../data/useList.js';
import { useCache } from '../../../data/useRecord.js';
import {
  entryOf,
  explainCeiling,
  findShare,
  LEVEL_MEANINGS,
  LEVEL_NAMES,
  LEVELS,
  SCOPE_NAMES,
} from '../../../logic/shares.js';
import { localInputValue } from '../../../logic/times.js';
import type { Kind, Resource } from '../kind.js';
import { grant, grantOf, revoke, type Grant } from './requests.js';

type Audience =
  | 'person'
  | 'group'
  | 'all_tenant_users'
  | 'all_org_users'
  | 'org_users_only'
  | 'all_tenants_only';

const AUDIENCES: readonly { value: Audience; label: string }[] = [
  { value: 'person', label: 'A person' },
  { value: 'group', label: 'A group' },
  { value: 'all_tenant_users', label: 'Everyone in a tenant' },
  { value: 'all_org_users', label: 'All organization users' },
  { value: 'org_users_only', label: 'Organization users only, without tenants' },
  { value: 'all_tenants_only', label: 'All tenants, without organization users' },
];
const SOURCES = { person: peopleSource, group: groupSource, all_tenant_users: tenantSource } as const;
const TARGETS = { person: 'Person', group: 'Group', all_tenant_users: 'Tenant' } as const;

const needsTarget = (audience: Audience): audience is keyof typeof SOURCES => audience in SOURCES;

function scopeOf(audience: Audience, target: Choice | null): ShareScope {
  if (audience !== 'person') return audience;
  return (target as PersonChoice | null)?.kind === 'tenant' ? 'specific_tenant_user' : 'specific_org_user';
}

/** What the level will mean for the chosen audience. */
function explain(audience: Audience, target: Choice | null, level: AccessLevel): string {
  if (audience === 'person' && target !== null) {
    const limited = explainCeiling(target.name, (target as PersonChoice).role, level);
    return limited ?? `${target.name} ${LEVEL_MEANINGS[level]}.`;
  }
  const limit =
    level === 'VIEWER' ? '' : ' Those with the role Viewer can only view it: a role limits every grant.';
  return `Each of them ${LEVEL_MEANINGS[level]}.${limit}`;
}

/** What a new grant to the same audience replaces. */
function describeReplaced({ role, expiresAt }: ShareListEntry): string {
  const end = expiresAt === null ? 'without an end' : `until ${new Date(expiresAt).toLocaleString('en')}`;
  return `There is already a share with the level ${LEVEL_NAMES[role]}, ${end}. This one replaces it.`;
}

interface Props {
  kind: Kind;
  record: Resource;
  /** The shares that may be replaced. */
  list: List<ShareListEntry>;
  onClose(): void;
}

interface Replacing {
  /** Of the person, group or tenant. */
  name: string | undefined;
  replaced: ShareListEntry | undefined;
}

/** Returns a function that grants a share in place of another one, and offers to undo that. */
function useGrant({ kind, record: { id }, list, onClose }: Props) {
  const api = useApi();
  const cache = useCache();
  return async (share: Grant, { name, replaced }: Replacing) => {
    await grant(api, kind, { id, shares: [share] });
    await cache.outdate('shares');
    const undo = async () => {
      const { role: _role, expiresAt: _end, ...entry } = share;
      if (replaced) await grant(api, kind, { id, shares: [grantOf(replaced)] });
      else await revoke(api, kind, { id, shares: [entry] });
      await cache.outdate('shares');
    };
    const text = `Shared with ${name ?? SCOPE_NAMES[share.scope].toLowerCase()}`;
    // A share that is not loaded yet may have been replaced.
    if (replaced === undefined && list.hasMore) notifyDone(text);
    else notifyUndo(text, undo);
    onClose();
  };
}

/** Grants a level on a dashboard or visual. `dialog` of the address keeps it open. */
export function GrantDialog({ kind, record, list, onClose }: Props) {
  const [audience, setAudience] = useState<Audience>('person');
  const [target, setTarget] = useState<Choice | null>(null);
  const [level, setLevel] = useState<AccessLevel>('VIEWER');
  const [expiry, setExpiry] = useState('');
  const [state, setState] = useState<{ isRunning: boolean; error: unknown }>({
    isRunning: false,
    error: null,
  });
  const isChanged = audience !== 'person' || target !== null || level !== 'VIEWER' || expiry !== '';
  const isComplete = !needsTarget(audience) || target !== null;
  const own = LEVELS.indexOf(record.accessLevel ?? 'VIEWER');
  const replacedBy = (given: Audience, to: Choice | null) =>
    findShare(list.items, scopeOf(given, to), to?.id ?? null);
  const replaced = isComplete ? replacedBy(audience, target) : undefined;
  const isPast = expiry !== '' && new Date(expiry).getTime() <= Date.now();
  const choose = (given: Audience, to: Choice | null) => {
    setAudience(given);
    setTarget(to);
    const former = replacedBy(given, to);
    // What was taken from the share of another audience must not be granted to this one.
    if (former === undefined && replaced === undefined) return;
    const end = former?.expiresAt ?? null;
    setLevel(former?.role ?? 'VIEWER');
    setExpiry(end === null ? '' : localInputValue(Date.parse(end)));
  };
  const grantNew = useGrant({ kind, record, list, onClose });
  const run = () => {
    setState({ isRunning: true, error: null });
    const expiresAt = expiry === '' ? null : new Date(expiry).toISOString();
    const share = { ...entryOf(scopeOf(audience, target), target?.id ?? null), role: level, expiresAt };
    grantNew(share, { name: target?.name, replaced }).catch((error: unknown) =>
      setState({ isRunning: false, error }),
    );
  };
  return (
    <Modal opened onClose={onClose} title={`Share this ${kind.noun}`} centered size="md">
      <UnsavedGuard isDirty={isChanged && !state.isRunning} openedBy="dialog" />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete && !isPast) run();
        }}
      >
        <Stack>
          <Select
            label="Audience"
            data-autofocus
            data={[...AUDIENCES]}
            allowDeselect={false}
            value={audience}
            onChange={(value) => choose(value as Audience, null)}
          />
          {needsTarget(audience) && (
            <Picker
              key={audience}
              label={TARGETS[audience]}
              isRequired
              value={target}
              onChange={(choice) => choose(audience, choice)}
              source={SOURCES[audience]}
            />
          )}
          <Select
            label="Level"
            description={
              own < 3
                ? `You can grant up to your own level, ${LEVEL_NAMES[record.accessLevel ?? 'VIEWER']}.`
                : undefined
            }
            data={LEVELS.map((value, index) => ({ value, label: LEVEL_NAMES[value], disabled: index > own }))}
            allowDeselect={false}
            value={level}
            onChange={(value) => setLevel(value as AccessLevel)}
          />
          <TextInput
            type="datetime-local"
            label="Expires"
            description="Without a time it lasts until it is revoked."
            value={expiry}
            error={isPast && 'must be in the future'}
            onChange={(event) => setExpiry(event.currentTarget.value)}
          />
          {isComplete && <Meaning text={explain(audience, target, level)} replaced={replaced} />}
          {state.error !== null && <ErrorNotice error={state.error} title="It was not shared" />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!isComplete || isPast} loading={state.isRunning}>
              {replaced ? 'Replace' : 'Share'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** What the grant will mean, and what it replaces. */
function Meaning({ text, replaced }: { text: string; replaced: ShareListEntry | undefined }) {
  return (
    <>
      <Alert color="blue" icon={<Icon name="info" size={20} />}>
        {text}
      </Alert>
      {replaced && (
        <Alert color="yellow" icon={<Icon name="warning" size={20} />}>
          {describeReplaced(replaced)}
        </Alert>
      )}
    </>
  );
}
