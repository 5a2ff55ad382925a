import type { DefinitionItem, PolicyTest, PolicyTestOutcome } from '@gatehouse/contract';
import { Badge, Button, Text, UnstyledButton } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Column } from '../../../components/columns.js';
import { EmptyState } from '../../../components/EmptyState.js';
import { ErrorNotice } from '../../../components/ErrorNotice.js';
import { ExportButton } from '../../../components/ExportButton.js';
import { Icon } from '../../../components/Icon.js';
import { ListToolbar } from '../../../components/ListToolbar.js';
import { RecordTable } from '../../../components/RecordTable.js';
import { RowButton } from '../../../components/RowButton.js';
import { RelativeTime } from '../../../components/RelativeTime.js';
import { useApi } from '../../../data/api.js';
import { countOf, useList } from '../../../data/useList.js';
import { useUrlState } from '../../../data/urlState.js';
import { useSession } from '../../../session/SessionContext.js';
import { choiceOf, KIND_NAMES, useActorNames } from '../actors.js';
import classes from '../policies.module.css';
import { testList } from '../sources.js';
import { OutcomeDialog, OutcomeBadge } from './Outcome.js';
import { TestDialog } from './TestDialog.js';

/** The value of a new test in the address; ids of tests are longer. */
const NEW = 'new';

/** The tests of a definition: what is expected, and how their last run ended. */
export function TestList({ item }: { item: DefinitionItem }) {
  const api = useApi();
  const { project } = useSession();
  const { id: definitionId, connectionId } = item.definition;
  const source = testList(project.id, definitionId);
  const list = useList(source);
  const [{ test: openedId }, setState] = useUrlState();
  const open = (test: string | undefined) => setState({ test }, test !== undefined);
  const [shown, setShown] = useState<PolicyTestOutcome | null>(null);
  const run = useMutation({
    mutationFn: async () => (await api.runPolicyTests({ projectId: project.id, definitionId })).data,
  });
  const outcomes = new Map((run.data?.outcomes ?? []).map((outcome) => [outcome.testId, outcome]));
  const columns = columnsOf({ outcomes, onOpen: ({ id }) => open(id), onShow: setShown });
  const create = <Button onClick={() => open(NEW)}>New test</Button>;
  return (
    <>
      <ListToolbar
        count={countOf(list)}
        actions={<ExportButton source={source} columns={columns} fileName={`policy-tests-${definitionId}`} />}
      >
        {create}
        <Button
          variant="default"
          leftSection={<Icon name="check" />}
          loading={run.isPending}
          disabled={list.items.length === 0}
          onClick={() => run.mutate()}
        >
          Run the tests
        </Button>
        <Text size="sm" role="status">
          {run.isPending && 'Running…'}
          {run.data && `${run.data.passed} passed, ${run.data.failed} failed`}
        </Text>
      </ListToolbar>
      {run.error !== null && (
        <div className={classes['part']}>
          <ErrorNotice error={run.error} title="The tests were not run" onRetry={() => run.mutate()} />
        </div>
      )}
      <RecordTable
        label="Tests"
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        empty={
          <EmptyState icon="check" title="No tests yet" action={create}>
            A test is a statement of an actor with what its restricted form must be, or return. Changes of the
            definition can require that they pass.
          </EmptyState>
        }
      />
      {openedId !== undefined && (
        <TestDialog
          key={openedId}
          definitionId={definitionId}
          connectionId={connectionId}
          testId={openedId === NEW ? null : openedId}
          onClose={() => {
            open(undefined);
            run.reset();
          }}
        />
      )}
      <OutcomeDialog outcome={shown} onClose={() => setShown(null)} />
    </>
  );
}

interface ColumnInput {
  outcomes: ReadonlyMap<string, PolicyTestOutcome>;
  onOpen(test: PolicyTest): void;
  onShow(outcome: PolicyTestOutcome): void;
}

function columnsOf({ outcomes, onOpen, onShow }: ColumnInput): Column<PolicyTest>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      width: 'minmax(0, 2fr)',
      text: ({ name }) => name,
      render: (test) => (
        <RowButton title={test.name} onClick={() => onOpen(test)}>
          {test.name}
        </RowButton>
      ),
    },
    {
      id: 'actor',
      header: 'Actor',
      isWide: true,
      text: ({ actor }) => actorText(actor),
      render: ({ actor }) => <ActorName actor={actor} />,
    },
    {
      id: 'expect',
      header: 'Checks',
      isWide: true,
      text: ({ expect }) => Object.keys(expect).join('; '),
      render: ({ expect }) =>
        Object.keys(expect).map((name) => (
          <Badge key={name} color="gray" size="sm" mr={4}>
            {name}
          </Badge>
        )),
    },
    {
      id: 'outcome',
      header: 'Result',
      width: '8rem',
      text: ({ id }) => outcomeText(outcomes.get(id)),
      render: ({ id }) => {
        const outcome = outcomes.get(id);
        if (outcome === undefined) return '–';
        return (
          <UnstyledButton
            onClick={() => onShow(outcome)}
            aria-label={`${outcome.passed ? 'Passed' : 'Failed'}: ${outcome.name}`}
          >
            <OutcomeBadge outcome={outcome} />
          </UnstyledButton>
        );
      },
    },
    {
      id: 'updated',
      header: 'Updated',
      width: '8.5rem',
      isWide: true,
      text: ({ updatedAt }) => updatedAt,
      render: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
    },
  ];
}

function ActorName({ actor }: Pick<PolicyTest, 'actor'>) {
  return <span dir="auto">{useActorNames([choiceOf(actor)])}</span>;
}

function actorText(actor: PolicyTest['actor']): string {
  const { kind, id } = choiceOf(actor);
  return id === null ? KIND_NAMES[kind] : `${KIND_NAMES[kind]} ${id}`;
}

function outcomeText(outcome: PolicyTestOutcome | undefined): string {
  if (outcome === undefined) return '';
  return outcome.passed ? 'Passed' : 'Failed';
}
