import type { AccessLevel, ShareScope } from '@gatehouse/contract';
import { Alert, Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { ErrorNotice } from '../../../components/ErrorNotice.js';
import { Icon } from '../../../components/Icon.js';
import { notifyDone } from '../../../components/notify.js';
import { Picker, type Choice } from '../../../components/Picker.js';
import { UnsavedGuard } from '../../../components/UnsavedGuard.js';
import { useApi } from '../../../data/api.js';
import { groupSource, peopleSource, tenantSource, type PersonChoice } from '../../../data/choices.js';
import { useCache } from '../../../data/useRecord.js';
import { entryOf, explainCeiling, LEVEL_MEANINGS, LEVEL_NAMES, LEVELS } from '../../../logic/shares.js';
import type { Kind, Resource } from '../kind.js';
import { grant } from './requests.js';

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

interface Props {
  kind: Kind;
  record: Resource;
  onClose(): void;
}

/** Grants a level on a dashboard or visual. `dialog` of the address keeps it open. */
export function GrantDialog({ kind, record, onClose }: Props) {
  const api = useApi();
  const cache = useCache();
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
  const submit = async () => {
    const entry = entryOf(scopeOf(audience, target), target?.id ?? null);
    const expiresAt = expiry === '' ? null : new Date(expiry).toISOString();
    await grant(api, kind, { id: record.id, shares: [{ ...entry, role: level, expiresAt }] });
    await cache.outdate('shares');
    notifyDone(`Shared with ${target?.name ?? 'them'}`);
    onClose();
  };
  const run = () => {
    setState({ isRunning: true, error: null });
    submit().catch((error: unknown) => setState({ isRunning: false, error }));
  };
  return (
    <Modal opened onClose={onClose} title={`Share this ${kind.noun}`} centered size="md">
      <UnsavedGuard isDirty={isChanged && !state.isRunning} openedBy="dialog" />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) run();
        }}
      >
        <Stack>
          <Select
            label="Audience"
            data={[...AUDIENCES]}
            allowDeselect={false}
            value={audience}
            onChange={(value) => {
              setAudience(value as Audience);
              setTarget(null);
            }}
          />
          {needsTarget(audience) && (
            <Picker
              key={audience}
              label={TARGETS[audience]}
              isRequired
              value={target}
              onChange={setTarget}
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
            onChange={(event) => setExpiry(event.currentTarget.value)}
          />
          {isComplete && (
            <Alert color="blue" icon={<Icon name="info" size={20} />}>
              {explain(audience, target, level)}
            </Alert>
          )}
          {state.error !== null && <ErrorNotice error={state.error} title="It was not shared" />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!isComplete} loading={state.isRunning}>
              Share
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
