import type { MigrationPlan } from '@gatehouse/client';
import type { MigrationAnalysis } from '@gatehouse/contract';
import { Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { ConfirmDelete } from '../../components/ConfirmDelete.js';
import { SmallTable } from '../../components/SmallTable.js';
import { MAPPED } from '../../logic/migrationChoices.js';
import { ACTION_TEXTS } from './texts.js';

interface Props {
  plan: MigrationPlan;
  analysis: MigrationAnalysis;
  onApply(): Promise<unknown>;
}

/** The steps of a dry run, and the confirmation before they are carried out. */
export function PlanView({ plan, analysis, onApply }: Props) {
  const [isConfirming, setConfirming] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [plan]);
  const names = namesOf(analysis);
  const nameOf = (id: string) => names.get(id) ?? id;
  const { targetProject, dashboard } = analysis;
  return (
    <section aria-label="Plan">
      <Stack>
        <Title order={2} size="h5" ref={heading} tabIndex={-1}>
          Plan
        </Title>
        <Text size="sm">A dry run: nothing was written.</Text>
        {plan.replaces !== null && (
          <Text size="sm">
            It replaces the content of <strong dir="auto">{plan.replaces.title}</strong>.
          </Text>
        )}
        <SmallTable
          label="Steps of the plan"
          headers={['Step', 'Name']}
          rows={plan.steps.map(({ name, action, title }) => ({
            key: name,
            cells: [
              ACTION_TEXTS[action],
              <span key="title" dir="auto">
                {title ?? ''}
              </span>,
            ],
          }))}
        />
        <List size="sm">
          {plan.reused.map(({ noun, sourceId, targetId }) => (
            <List.Item key={`${noun} ${sourceId}`}>
              {noun} {nameOf(sourceId)} becomes {nameOf(targetId)}
            </List.Item>
          ))}
          {plan.dropped.map(({ noun, sourceId }) => (
            <List.Item key={`${noun} ${sourceId}`}>
              {noun} {nameOf(sourceId)} is left out
            </List.Item>
          ))}
        </List>
        <Group justify="flex-end">
          <Button onClick={() => setConfirming(true)}>Migrate …</Button>
        </Group>
      </Stack>
      <ConfirmDelete
        name={dashboard.title}
        verb="Migrate"
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        onConfirm={onApply}
      >
        {plan.steps.length} steps change the project {targetProject.name}. You can roll the migration back as
        long as what it created is neither changed nor used.
      </ConfirmDelete>
    </section>
  );
}

/** The names of the records and the candidates of an analysis, by id. */
function namesOf(analysis: MigrationAnalysis): ReadonlyMap<string, string> {
  const records = [...MAPPED.map(({ kind }) => kind), 'assistantProfiles' as const].flatMap(
    (kind) => analysis[kind],
  );
  const sources = records.map(({ sourceId, name }) => [sourceId, name ?? sourceId] as const);
  const targets = records.flatMap(({ candidates }) => candidates.map(({ id, name }) => [id, name] as const));
  return new Map([...sources, ...targets]);
}
