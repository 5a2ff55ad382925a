import { Text } from '@mantine/core';
import { useSession } from '../../session/SessionContext.js';
import { Card, CardLink, Limit, List } from './Card.js';
import { readCoverage, useCard, type OpenConnection } from './sources.js';

const NAMES_SHOWN = 3;

const inShort = (tables: readonly string[]) => {
  const more = tables.length - NAMES_SHOWN;
  return `${tables.slice(0, NAMES_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

/** The tables that tenants read whole, and those that only users of the organization do. */
export function Coverage() {
  const { user } = useSession();
  const query = useCard('coverage', readCoverage(user.id));
  return (
    <Card
      title="Tables without row rules"
      icon="policy"
      query={query}
      none="A row rule restricts every checked table for every tenant with a policy."
      countOf={({ connections }) => connections.reduce((sum, { tenants }) => sum + tenants.length, 0)}
      footer={({ connections, isCut }) => (
        <>
          <Others connections={connections} />
          {isCut && <Limit>The first five connections and 50 actors of each were checked.</Limit>}
        </>
      )}
    >
      {({ connections }) => (
        <>
          <List>
            {connections
              .filter(({ tenants }) => tenants.length > 0)
              .map((connection) => (
                <li key={connection.connectionId}>
                  <WorkbenchLink connection={connection} />
                  <Text size="sm" c="dimmed" component="span">
                    {connection.isWithoutPolicy && 'No policy, so everyone reads '}
                    {inShort(connection.tenants)}
                  </Text>
                </li>
              ))}
          </List>
          <Limit>
            Tenants read all rows of these tables. Open the connection to see who, and add a row rule or
            assign a policy.
          </Limit>
        </>
      )}
    </Card>
  );
}

const WorkbenchLink = ({ connection: { connectionId, name } }: { connection: OpenConnection }) => (
  <CardLink to="/policies/workbench" search={{ connection: connectionId, unrestricted: 'yes' }}>
    {name}
  </CardLink>
);

/** Who else reads all rows: often intended, so it is not counted. */
function Others({ connections }: { connections: readonly OpenConnection[] }) {
  return (
    <>
      {connections
        .filter(({ isOpenToOthers }) => isOpenToOthers)
        .map((connection) => (
          <Limit key={connection.connectionId}>
            <WorkbenchLink connection={connection} />: users without a policy read all rows, by its setting.
          </Limit>
        ))}
      {connections
        .filter(({ staff }) => staff.length > 0)
        .map((connection) => (
          <Limit key={connection.connectionId}>
            <WorkbenchLink connection={connection} />: only users of the organization read all rows of{' '}
            {inShort(connection.staff)}.
          </Limit>
        ))}
    </>
  );
}
