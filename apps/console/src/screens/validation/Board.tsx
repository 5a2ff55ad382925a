import { Alert, Anchor, Badge, Button, Group, Progress, SegmentedControl, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { EmptyState } from '../../components/EmptyState.js';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { ExportButton } from '../../components/ExportButton.js';
import { Icon } from '../../components/Icon.js';
import { ListToolbar } from '../../components/ListToolbar.js';
import { Page } from '../../components/Page.js';
import { PageHeader } from '../../components/PageHeader.js';
import { ShowMore } from '../../components/ShowMore.js';
import { useUrlState } from '../../data/urlState.js';
import { useValidationRun, type ValidationRun } from '../../data/validationRun.js';
import { groupByCause, type IssueCause } from '../../logic/issueCauses.js';
import { describeDuration, remainingSeconds } from '../../logic/remainingTime.js';
import { Cause } from './Cause.js';
import { issueColumns, issuesOf } from './issueExport.js';
import { CODE_TITLES } from './issueTexts.js';

const CAUSES_STEP = 50;

/** The validation of all dashboards, with its issues by their cause. */
export function Board() {
  const { run, start, stop } = useValidationRun();
  const [{ search = '', severity, cause: linked }, setState] = useUrlState();
  const [linkedAtFirst] = useState(linked);
  const causes = useMemo(
    () => withFirst(groupByCause(run.results.values()), linkedAtFirst),
    [run.results, linkedAtFirst],
  );
  const shown = causes.filter((cause) => isShown(cause, search, severity));
  const isRunning = run.status === 'running';
  const action = isRunning ? (
    <Button variant="default" onClick={stop}>
      Stop
    </Button>
  ) : (
    <Button leftSection={<Icon name="check" />} onClick={start}>
      {run.status === 'none' ? 'Validate all dashboards' : 'Validate again'}
    </Button>
  );
  if (run.status === 'none')
    return (
      <>
        <PageHeader title="Validation" />
        <EmptyState icon="check" title="Nothing validated yet" action={action}>
          Validation compares every dashboard of the project with the schemas of its databases. It finds
          renamed columns, missing tables and deleted records, and changes nothing.
          {linked !== undefined && ' The cause that the link names is shown first, if it still exists.'}
        </EmptyState>
      </>
    );
  return (
    <>
      <PageHeader title="Validation" actions={action} />
      <ListToolbar
        searchLabel="Search causes"
        count={`${shown.length} of ${causes.length} causes`}
        actions={<ExportButton source={issuesOf(shown)} columns={issueColumns} fileName="issues" />}
      >
        <SegmentedControl
          aria-label="Severity"
          size="xs"
          value={severity ?? 'all'}
          onChange={(value) => setState({ severity: value === 'all' ? undefined : value })}
          data={[
            { value: 'all', label: 'All' },
            { value: 'error', label: 'Errors' },
            { value: 'warning', label: 'Warnings' },
          ]}
        />
      </ListToolbar>
      <Page>
        <Stack gap="md">
          <RunState run={run} />
          {shown.length > 0 && (
            <ShowMore items={shown} step={CAUSES_STEP}>
              {(part) => part.map((cause) => <Cause key={cause.key} cause={cause} isComplete={!isRunning} />)}
            </ShowMore>
          )}
          {shown.length === 0 && !isRunning && run.results.size > 0 && (
            <EmptyState icon="check" title={causes.length === 0 ? 'No issues' : 'No cause matches'}>
              {causes.length === 0
                ? 'Everything that the validated dashboards refer to exists.'
                : 'Change the search or the filter.'}
            </EmptyState>
          )}
          <Failures run={run} />
        </Stack>
      </Page>
    </>
  );
}

/** The cause of a link comes first, so that it is among those shown at once. */
function withFirst(causes: readonly IssueCause[], key: string | undefined): readonly IssueCause[] {
  return [...causes.filter((cause) => cause.key === key), ...causes.filter((cause) => cause.key !== key)];
}

function isShown(cause: IssueCause, search: string, severity: string | undefined): boolean {
  if (severity !== undefined && cause.severity !== severity) return false;
  const text = `${CODE_TITLES[cause.code]} ${cause.code} ${cause.subject}`.toLowerCase();
  const hasText = (part: string) => part.toLowerCase().includes(search.toLowerCase());
  return hasText(text) || cause.dashboards.some(({ title }) => hasText(title));
}

function RunState({ run }: { run: ValidationRun }) {
  const { status, done, total, startedAt, endedAt } = run;
  const broken = [...run.results.values()].filter(({ issues }) =>
    issues.some(({ severity }) => severity === 'error'),
  ).length;
  const remaining = remainingSeconds(done, total, (endedAt ?? Date.now()) - startedAt);
  const progress =
    total === null ? 'Starting' : `${done.toLocaleString('en')} of ${total.toLocaleString('en')}`;
  return (
    <Stack gap="xs">
      {status === 'running' && (
        <>
          <Progress
            value={total ? (done / total) * 100 : 0}
            aria-label="Progress of the validation"
            transitionDuration={0}
          />
          <Text size="sm" role="status">
            {progress} validated
            {remaining !== null && `, ${describeDuration(remaining)} left`}
          </Text>
        </>
      )}
      {status === 'stopped' && (
        <Alert color="yellow" title="Stopped">
          {progress} dashboards were validated. Their results are kept below.
        </Alert>
      )}
      {status === 'failed' && (
        <ErrorNotice
          error={run.error}
          title="The validation did not finish"
          hint={`${progress} dashboards were validated. Their results are kept below.`}
        />
      )}
      <Group gap="xs">
        <Badge color={broken > 0 ? 'red' : 'teal'}>{broken.toLocaleString('en')} broken</Badge>
        <Badge color="gray">{(run.results.size - broken).toLocaleString('en')} without errors</Badge>
        {endedAt !== null && (
          <Text size="xs" c="dimmed">
            Validated at {new Date(endedAt).toLocaleTimeString()}
          </Text>
        )}
      </Group>
    </Stack>
  );
}

function Failures({ run }: { run: ValidationRun }) {
  const failed = [...run.results.values()].filter(({ failure }) => failure !== null);
  if (failed.length === 0) return null;
  return (
    <Alert color="yellow" title={`${failed.length} could not be validated`}>
      <ShowMore items={failed} step={20}>
        {(part) =>
          part.map(({ id, title, failure }) => (
            <Text key={id} size="sm" dir="auto">
              <Anchor component={Link} to={`/validation/${id}`} size="sm">
                {title}
              </Anchor>
              : {failure}
            </Text>
          ))
        }
      </ShowMore>
    </Alert>
  );
}
