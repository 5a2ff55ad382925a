import { GatehouseError } from '@gatehouse/client';
import type { MigrationAnalysis } from '@gatehouse/contract';
import { Button, Group, List, Stack, Text, TextInput, Title } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { flushSync } from 'react-dom';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { Picker, type Choice } from '../../components/Picker.js';
import { SecretDialog } from '../../components/SecretDialog.js';
import { UnsavedGuard } from '../../components/UnsavedGuard.js';
import { useApi } from '../../data/api.js';
import { dashboardSource } from '../../data/choices.js';
import { useCache } from '../../data/useRecord.js';
import {
  choiceKey,
  MAPPED,
  suggestedChoices,
  toMappings,
  type Choices,
} from '../../logic/migrationChoices.js';
import { useSession } from '../../session/SessionContext.js';
import { useProjectApi } from '../../session/useProjectApi.js';
import { MappingField } from './MappingField.js';
import { PlanView } from './PlanView.js';
import { usePlan, type Planned } from './usePlan.js';

/** The choices of a migration, the plan that they lead to, and its application. */
export function MigrationForm({ analysis }: { analysis: MigrationAnalysis }) {
  const api = useApi();
  const cache = useCache();
  const navigate = useNavigate();
  const [choices, setChoices] = useState<Choices>(() => suggestedChoices(analysis));
  const [replaced, setReplaced] = useState<Choice | null>(null);
  const [commitMessage, setCommitMessage] = useState('');
  const [isDirty, setDirty] = useState(false);
  const { planned, isRunning, error, run, clear } = usePlan();
  const [done, setDone] = useState<{ id: string; secret: string } | null>(null);
  const targetSource = useTargetDashboards(analysis.targetProject.id);
  /** A plan is valid for the choices that it was made with. */
  const change = (apply: () => void) => {
    apply();
    setDirty(true);
    clear();
  };
  const plan = (event: FormEvent) => {
    event.preventDefault();
    void run({
      id: analysis.dashboard.id,
      targetProjectId: analysis.targetProject.id,
      ...toMappings(analysis, choices),
      ...(replaced === null ? {} : { replaceExistingId: replaced.id }),
      ...(commitMessage.trim() === '' ? {} : { commitMessage: commitMessage.trim() }),
    });
  };
  const apply = async ({ request, idempotencyKey }: Planned) => {
    const response = await api.migrateDashboard(request, { idempotencyKey });
    if (!('migrationId' in response)) return;
    flushSync(() => setDirty(false));
    await cache.outdate('migrations', 'dashboards');
    const { migrationId: id, dashboard } = response;
    if (dashboard.secret === null) void navigate({ to: `/migrations/${id}` });
    else setDone({ id, secret: dashboard.secret });
  };
  const records = MAPPED.flatMap((mapped) => analysis[mapped.kind].map((record) => ({ ...mapped, record })));
  return (
    <>
      <UnsavedGuard isDirty={isDirty} />
      <form onSubmit={plan}>
        <Stack>
          <Title order={2} size="h5">
            Choices
          </Title>
          {records.length === 0 && (
            <Text size="sm">The dashboard refers to nothing that needs a choice.</Text>
          )}
          {records.map(({ kind, noun, record }) => (
            <MappingField
              key={choiceKey(kind, record.sourceId)}
              kind={kind}
              noun={noun}
              record={record}
              value={choices[choiceKey(kind, record.sourceId)] ?? ''}
              onChange={(value) =>
                change(() => setChoices({ ...choices, [choiceKey(kind, record.sourceId)]: value }))
              }
            />
          ))}
          <Picker
            label="Replace a dashboard"
            description={`Keeps the id, the shares and the secret of a dashboard of ${analysis.targetProject.name}. Without one, a new dashboard is created.`}
            value={replaced}
            onChange={(choice) => change(() => setReplaced(choice))}
            source={targetSource}
          />
          <TextInput
            label="Commit message"
            description="Needed if the target project requires one."
            maxLength={5000}
            value={commitMessage}
            onChange={({ currentTarget: { value } }) => change(() => setCommitMessage(value))}
          />
          {error !== null && <Faults error={error} />}
          <Group justify="flex-end">
            <Button type="submit" variant={planned === null ? 'filled' : 'default'} loading={isRunning}>
              Show the plan
            </Button>
          </Group>
        </Stack>
      </form>
      {planned !== null && (
        <PlanView plan={planned.plan} analysis={analysis} onApply={() => apply(planned)} />
      )}
      <SecretDialog
        secret={done?.secret ?? null}
        noun="new dashboard"
        onClose={() => {
          if (done !== null) void navigate({ to: `/migrations/${done.id}` });
          setDone(null);
        }}
      />
    </>
  );
}

/** The dashboards of another project, with a client that acts there. */
function useTargetDashboards(projectId: string) {
  const { csrfToken } = useSession();
  const target = useProjectApi(projectId, csrfToken);
  return (search: string) => {
    const source = dashboardSource(search);
    return {
      key: ['dashboards', 'of', projectId, search],
      load: (_api: unknown, next: string | undefined, signal: AbortSignal) =>
        source.load(target, next, signal),
    };
  };
}

/** Why a plan is not possible: the error, and each field that causes it. */
function Faults({ error }: { error: unknown }) {
  const faults = error instanceof GatehouseError ? error.fieldErrors : [];
  return (
    <>
      <ErrorNotice error={error} title="The plan is not possible" />
      {faults.length > 0 && (
        <List size="sm">
          {faults.map(({ field, message }) => (
            <List.Item key={`${field} ${message}`}>
              {field} {message}
            </List.Item>
          ))}
        </List>
      )}
    </>
  );
}
