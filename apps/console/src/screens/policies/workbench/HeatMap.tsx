import type { Coverage, OmittedActor } from '@gatehouse/contract';
import { Alert, Button, Group, Loader, Switch, Text, TextInput, Title } from '@mantine/core';
import { useMemo } from 'react';
import { EmptyState } from '../../../components/EmptyState.js';
import { ErrorNotice } from '../../../components/ErrorNotice.js';
import { Icon } from '../../../components/Icon.js';
import { byCursor } from '../../../data/listSources.js';
import { useUrlState } from '../../../data/urlState.js';
import { useUrlText } from '../../../data/useUrlText.js';
import { useList, type ListSource } from '../../../data/useList.js';
import { heatRows } from '../../../logic/heatMap.js';
import { useSession } from '../../../session/SessionContext.js';
import { choiceOf, useActorNames } from '../actors.js';
import { HeatGrid } from './HeatGrid.js';
import classes from './workbench.module.css';

const WITHOUT_ACTORS =
  'Actors appear here once policies are assigned to them and the catalog is read. ' +
  'While the connection has no policy, everyone reads all of its rows.';
/** Each actor adds a list of tables to the response. */
const ACTORS = 20;

/** An actor with its tables, or the reason why they are not there. */
type HeatActor = Coverage | OmittedActor;

function coverageOf(projectId: string, connectionId: string): ListSource<HeatActor> {
  return {
    key: ['coverage', projectId, connectionId],
    load: async (api, next, signal) => {
      const place = { limit: ACTORS, ...(typeof next === 'string' ? { cursor: next } : {}) };
      const { data, nextCursor } = await api.getPolicyCoverage(
        { projectId, connectionId, ...place },
        { signal },
      );
      return byCursor<HeatActor>(data.omitted ? [data.omitted] : data.actors, nextCursor);
    },
  };
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`;

/** The actors whose coverage is too large for a response. */
function OmittedActors({ omitted }: { omitted: readonly OmittedActor[] }) {
  const names = useActorNames(omitted.map(({ actor }) => choiceOf(actor)));
  return omitted.map(({ reason }, index) => {
    const title = `The coverage of ${names[index]} is too large to show`;
    return (
      <Alert role="note" color="yellow" icon={<Icon name="warning" />} mb="xs" key={title} title={title}>
        {reason}
      </Alert>
    );
  });
}

/** Which tables the rules of each actor restrict. */
export function HeatMap({ connectionId }: { connectionId: string }) {
  const { project } = useSession();
  const list = useList(coverageOf(project.id, connectionId));
  const covered = useMemo(() => list.items.filter((item) => 'governed' in item), [list.items]);
  const omitted = list.items.filter((item) => 'reason' in item);
  const actors = useActorNames(covered.map(({ actor }) => choiceOf(actor)));
  const [{ unrestricted }, setState] = useUrlState();
  const [text, setText] = useUrlText('tables');
  const isOpenOnly = unrestricted === 'yes';
  const rows = useMemo(() => heatRows(covered), [covered]);
  const shown = rows.filter(
    ({ table, cells }) =>
      table.toLowerCase().includes(text.trim().toLowerCase()) &&
      (!isOpenOnly || cells.some(({ state }) => state !== 'restricted')),
  );
  return (
    <section aria-label="Coverage" className={classes['part']}>
      <Title order={2} size="h5" mb={4}>
        Coverage by the stored policies
      </Title>
      <Text size="sm" c="dimmed" mb="xs">
        A number counts the rules that restrict a table; “all” means that every row may be read.
      </Text>
      <Group mb="xs" gap="md">
        <TextInput
          aria-label="Search tables"
          placeholder="Search tables"
          leftSection={<Icon name="search" />}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        <Switch
          label="Only tables with unrestricted actors"
          checked={isOpenOnly}
          onChange={(event) => setState({ unrestricted: event.currentTarget.checked ? 'yes' : undefined })}
        />
        <Text size="sm" c="dimmed" role="status">
          {list.isLoading ? '' : `${count(shown.length, 'table')}, ${count(covered.length, 'actor')}`}
        </Text>
        {list.isLoading && <Loader role="status" size="xs" aria-label="Reading the coverage" />}
        {list.hasMore && (
          <Button variant="default" size="compact-sm" onClick={list.loadMore}>
            Load more actors
          </Button>
        )}
      </Group>
      {list.error !== null && <ErrorNotice error={list.error} onRetry={list.retry} />}
      <OmittedActors omitted={omitted} />
      {covered.length > 0 && shown.length > 0 && <HeatGrid rows={shown} actors={actors} />}
      {!list.isLoading && list.error === null && shown.length === 0 && (
        <EmptyState icon="policy" title="Nothing to show">
          {rows.length === 0 ? WITHOUT_ACTORS : 'No table matches.'}
        </EmptyState>
      )}
    </section>
  );
}
