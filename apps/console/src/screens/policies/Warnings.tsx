import type { LintWarning } from '@gatehouse/contract';
import { Alert, Code, List } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Icon } from '../../components/Icon.js';
import { useApi } from '../../data/api.js';
import { useSession } from '../../session/SessionContext.js';

/** What the rules of a stored definition do other than they seem to; nothing if there is no warning. */
export function Warnings({ definitionId, version }: { definitionId: string; version: number }) {
  const api = useApi();
  const { project } = useSession();
  const { data } = useQuery({
    queryKey: ['lint', project.id, definitionId, version],
    queryFn: async ({ signal }) =>
      (await api.lintPolicies({ projectId: project.id, definitionId }, { signal })).data.warnings,
  });
  return <WarningList warnings={data ?? []} />;
}

/** A list of warnings with their places. */
export function WarningList({ warnings }: { warnings: readonly LintWarning[] }) {
  if (warnings.length === 0) return null;
  return (
    <Alert
      color="yellow"
      mb="md"
      icon={<Icon name="warning" size={20} />}
      title={`${warnings.length} ${warnings.length === 1 ? 'warning' : 'warnings'}`}
    >
      <List size="sm" spacing={4}>
        {warnings.map(({ code, path, message, definitionId, assignmentId }) => (
          <List.Item key={[code, path, definitionId, assignmentId].join(' ')}>
            {message} <Code>{path}</Code>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
