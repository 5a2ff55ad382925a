import { Alert, List, Select, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '../../components/EmptyState.js';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { Page } from '../../components/Page.js';
import { PageHeader } from '../../components/PageHeader.js';
import { Picker } from '../../components/Picker.js';
import { useApi } from '../../data/api.js';
import { dashboardSource } from '../../data/choices.js';
import { useUrlState } from '../../data/urlState.js';
import { useSession } from '../../session/SessionContext.js';
import { MigrationForm } from './MigrationForm.js';

/** What a migration copies and what it does not, before there is anything to choose. */
function Scope({ from }: { from: string }) {
  return (
    <div>
      <Text size="sm" mb={4}>
        A migration copies a dashboard of {from} into another project. The dashboard itself does not change.
      </Text>
      <List size="sm" aria-label="What a migration copies">
        <List.Item>
          Copied: its title, description, tags and template, and the semantic domains, data models and visuals
          for which you choose <em>Copy it</em>.
        </List.Item>
        <List.Item>
          Not copied: connections, which you map to those of the target, and shares, versions, policies and
          data.
        </List.Item>
        <List.Item>The copy is private and belongs to you. Share it in the target project.</List.Item>
      </List>
    </div>
  );
}

/** A new migration: what to copy, the choices, the plan, and then the migration itself. */
export function NewMigration() {
  const api = useApi();
  const { project, projects } = useSession();
  const [{ dashboard, target }, setState] = useUrlState();
  const others = projects.filter(({ id }) => id !== project.id);
  const isChosen = dashboard !== undefined && target !== undefined;
  const { data, error, refetch } = useQuery({
    queryKey: ['records', project.id, 'migrations', 'analysis', dashboard, target],
    enabled: isChosen,
    refetchOnWindowFocus: false,
    queryFn: ({ signal }) =>
      api.analyzeMigration({ id: dashboard ?? '', targetProjectId: target ?? '' }, { signal }),
  });
  const title = useQuery({
    queryKey: ['records', project.id, 'migrations', 'title', dashboard],
    enabled: dashboard !== undefined,
    queryFn: async ({ signal }) =>
      (await api.getDashboard({ id: dashboard ?? '', fields: 'title' }, { signal })).dashboard.title,
  });
  const header = <PageHeader title="New migration" path={[{ title: 'Migrations', to: '/migrations' }]} />;
  if (others.length === 0)
    return (
      <>
        {header}
        <EmptyState icon="project" title="No other project">
          A migration copies a dashboard into another project of the organization. Create one first.
        </EmptyState>
      </>
    );
  return (
    <>
      {header}
      <Page>
        <Stack>
          <Scope from={project.name} />
          <Picker
            label="Dashboard"
            value={dashboard === undefined ? null : { id: dashboard, name: title.data ?? dashboard }}
            onChange={(choice) => setState({ dashboard: choice?.id }, true)}
            source={dashboardSource}
          />
          <Select
            label="Into the project"
            placeholder="Choose a project"
            data={others.map(({ id, name }) => ({ value: id, label: name }))}
            value={target ?? null}
            onChange={(value) => setState({ target: value ?? undefined }, true)}
          />
          {error !== null && (
            <ErrorNotice error={error} title="The analysis failed" onRetry={() => void refetch()} />
          )}
          {isChosen && error === null && data === undefined && <Skeleton height={160} />}
          {data !== undefined && (
            <>
              {data.problems.length > 0 && (
                <Alert color="yellow" title="Before it can be done">
                  <List size="sm">
                    {data.problems.map(({ field, message }) => (
                      <List.Item key={`${field} ${message}`}>
                        {field} {message}
                      </List.Item>
                    ))}
                  </List>
                </Alert>
              )}
              {data.assistantProfiles.length > 0 && (
                <Text size="sm" c="dimmed">
                  The assistant profile becomes the one with the same name in {data.targetProject.name}.
                  Without one, the reference is dropped.
                </Text>
              )}
              <MigrationForm key={`${dashboard} ${target}`} analysis={data} />
            </>
          )}
        </Stack>
      </Page>
    </>
  );
}
