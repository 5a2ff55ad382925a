import { Group, SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useMemo } from 'react';
import { EmptyState } from '../../components/EmptyState.js';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { onDemand, usePreload } from '../../components/onDemand.js';
import { SmallTable } from '../../components/SmallTable.js';
import { useUrlState } from '../../data/urlState.js';
import { countByPeriod } from '../../logic/activityBuckets.js';
import classes from './Audit.module.css';
import type { ChartProps } from './Chart.js';
import { CHART_MAX, useActivity } from './sources.js';

const Chart = onDemand<ChartProps>(
  async () => (await import('./Chart.js')).Chart,
  () => <Skeleton height="16rem" />,
);

/** How much was done and refused over time, as a chart or a table. */
export function Activity() {
  const [state, setState] = useUrlState();
  const { data, error, refetch } = useActivity(state);
  usePreload(Chart);
  const buckets = useMemo(() => countByPeriod(data?.entries ?? []), [data]);
  const isTable = state['form'] === 'table';
  const refused = buckets.reduce((sum, bucket) => sum + bucket.refused, 0);
  if (error !== null && data === undefined)
    return (
      <div className={classes['activity']}>
        <ErrorNotice error={error} title="The activity could not be read" onRetry={() => void refetch()} />
      </div>
    );
  if (data === undefined) return <Skeleton height="16rem" />;
  if (buckets.length === 0)
    return (
      <EmptyState icon="audit" title="No entry matches">
        Change the filters.
      </EmptyState>
    );
  return (
    <div className={classes['activity']}>
      <Group justify="space-between" mb="sm">
        <Text size="sm" role="status">
          {data.isCut
            ? `The latest ${CHART_MAX.toLocaleString('en')} entries`
            : `${data.entries.length} entries`}
          , {refused} refused
        </Text>
        <SegmentedControl
          size="xs"
          aria-label="Form"
          value={isTable ? 'table' : 'chart'}
          onChange={(value) => setState({ form: value === 'table' ? value : undefined })}
          data={[
            { value: 'chart', label: 'Chart' },
            { value: 'table', label: 'Table' },
          ]}
        />
      </Group>
      {isTable ? (
        <SmallTable
          label="Activity"
          headers={['From', 'Done', 'Refused']}
          rows={buckets.toReversed().map(({ at, done, refused: rejected }) => ({
            key: String(at),
            cells: [new Date(at).toLocaleString(), done, rejected],
          }))}
        />
      ) : (
        <Chart buckets={buckets} label="Entries that were done and refused; the table has the same" />
      )}
    </div>
  );
}
