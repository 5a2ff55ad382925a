import type { ValidationIssue } from '@gatehouse/contract';
import { Anchor, Badge, Button, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../../components/EmptyState.js';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { Icon } from '../../components/Icon.js';
import { IdCopy } from '../../components/IdCopy.js';
import { Facts, Page } from '../../components/Page.js';
import { PageHeader } from '../../components/PageHeader.js';
import { ShowMore } from '../../components/ShowMore.js';
import { useApi } from '../../data/api.js';
import { useUrlState } from '../../data/urlState.js';
import { useParam } from '../../data/useParam.js';
import { useSession } from '../../session/SessionContext.js';
import { Opening } from '../../shell/Opening.js';
import { CODE_TITLES, mayBeRepaired } from './issueTexts.js';
import { REPAIR, RepairDialog } from './RepairDialog.js';
import classes from './Validation.module.css';

const path = [{ title: 'Validation', to: '/validation' }];

/** The validation of one dashboard, which its address starts. */
export function OneDashboard() {
  const id = useParam('id');
  const api = useApi();
  const { project } = useSession();
  const [{ dialog }, setState] = useUrlState();
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['records', project.id, 'validation', id],
    queryFn: ({ signal }) =>
      api.validateDashboard({ dashboardId: id, options: { includeAvailableColumns: false } }, { signal }),
    refetchOnWindowFocus: false,
  });
  if (error !== null && data === undefined)
    return (
      <>
        <PageHeader title="This dashboard cannot be validated" path={path} />
        <Page>
          <ErrorNotice error={error} title="It could not be validated" onRetry={() => void refetch()} />
        </Page>
      </>
    );
  if (data === undefined) return <Opening />;
  const { summary, issues } = data;
  const title = data.dashboardTitle ?? id;
  const canRepair = issues.some(mayBeRepaired);
  const aside = (
    <Facts
      facts={[
        [
          'Dashboard',
          <Anchor key="d" component={Link} to={`/dashboards/${id}`}>
            {title}
          </Anchor>,
        ],
        ['Id', <IdCopy key="id" value={id} />],
        ['Cards', `${summary.validCards} of ${summary.totalCards} valid`],
        ['Columns', `${summary.validFields} of ${summary.totalFields} valid`],
        ['Filters', `${summary.validFilters} of ${summary.totalFilters} valid`],
        ['Joins', `${summary.validJoins} of ${summary.totalJoins} valid`],
      ]}
    />
  );
  return (
    <>
      <PageHeader
        title={title}
        path={path}
        badges={<Badge color={data.isValid ? 'teal' : 'red'}>{data.isValid ? 'Valid' : 'Broken'}</Badge>}
        actions={
          <>
            <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
              Validate again
            </Button>
            {canRepair && (
              <Button leftSection={<Icon name="edit" />} onClick={() => setState({ dialog: REPAIR }, true)}>
                Repair …
              </Button>
            )}
          </>
        }
      />
      <Page aside={aside}>
        {issues.length === 0 ? (
          <EmptyState icon="check" title="No issues">
            Everything that this dashboard refers to exists.
          </EmptyState>
        ) : (
          <Issues issues={issues} />
        )}
      </Page>
      {dialog === REPAIR && (
        <RepairDialog
          dashboards={[{ id, title }]}
          onClose={() => setState({ dialog: undefined })}
          onDone={() => void refetch()}
        />
      )}
    </>
  );
}

function Issues({ issues }: { issues: readonly ValidationIssue[] }) {
  return (
    <ul className={classes['list']} aria-label="Issues">
      <ShowMore items={issues} step={100}>
        {(part) =>
          part.map((issue, index) => (
            // The same place can have two issues, and their order does not change.
            <li key={`${issue.path} ${index}`}>
              <Stack gap={4}>
                <span>
                  <Badge color={issue.severity === 'error' ? 'red' : 'yellow'} mr="xs">
                    {CODE_TITLES[issue.code]}
                  </Badge>
                  <Text component="span" size="sm">
                    {issue.message}
                  </Text>
                </span>
                <Text size="xs" c="dimmed">
                  {issue.path}
                  {issue.suggestions?.length ? ` · similar names: ${issue.suggestions.join(', ')}` : ''}
                </Text>
              </Stack>
            </li>
          ))
        }
      </ShowMore>
    </ul>
  );
}
