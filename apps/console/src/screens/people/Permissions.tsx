import { Badge, Skeleton, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { Page } from '../../components/Page.js';
import { useApi } from '../../data/api.js';

const NAMES: Readonly<Record<string, string>> = {
  canEdit: 'Change dashboards and visuals, with a level that permits it',
  canCreateDashboard: 'Create dashboards and visuals',
  canShare: 'Share, with a level that permits it',
  canShareWithTenants: 'Share with tenants',
  canShareWithOrgUsers: 'Share with organization users',
  canShareWithOtherTenants: 'Share with other tenants',
  canManageGroups: 'Manage groups',
  canManageUsers: 'Manage users',
  canManageSecurity: 'Manage policies',
};

/** What the role of a user permits, independent of any share. */
export function Permissions({ userId }: { userId: string }) {
  const api = useApi();
  const { data, error } = useQuery({
    queryKey: ['people', 'context', userId],
    queryFn: ({ signal }) => api.getUserContext({ id: userId }, { signal }),
  });
  return (
    <Page>
      {error !== null && <ErrorNotice error={error} />}
      {error === null && data === undefined && <Skeleton height={200} />}
      {data !== undefined && (
        <>
          <Text size="sm" c="dimmed" mb="md">
            What the role permits. Shares decide which dashboards and visuals it applies to.
          </Text>
          <Table aria-label="Permissions" maw={560}>
            <Table.Tbody>
              {Object.entries(data.permissions).map(([name, isAllowed]) => (
                <Table.Tr key={name}>
                  <Table.Td>{NAMES[name] ?? name}</Table.Td>
                  <Table.Td w={90}>
                    <Badge color={isAllowed ? 'teal' : 'gray'}>{isAllowed ? 'Yes' : 'No'}</Badge>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </>
      )}
    </Page>
  );
}
