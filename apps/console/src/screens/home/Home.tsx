import { Anchor, Badge, Button, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PageHeader } from '../../components/PageHeader.js';
import { ActorName } from '../../components/PersonName.js';
import { EndTime, RelativeTime } from '../../components/RelativeTime.js';
import { useValidationRun } from '../../data/validationRun.js';
import { recordName } from '../../logic/auditRecords.js';
import { describeEvent } from '../../logic/eventNames.js';
import { levelName } from '../../logic/shares.js';
import { useHasRole } from '../../session/SessionContext.js';
import { Card, CardLink, Limit, List } from './Card.js';
import { Coverage } from './Coverage.js';
import classes from './Home.module.css';
import {
  readConflicts,
  readExpiring,
  readRecent,
  readUpdated,
  readWebhooks,
  SOON_DAYS,
  useCard,
} from './sources.js';

const SHOWN = 6;

/** What needs attention, and what happened recently. */
export function Home() {
  const isAdmin = useHasRole('ADMIN');
  return (
    <>
      <PageHeader title="Home" />
      <div className={classes['cards']}>
        <Broken />
        {isAdmin && <Coverage />}
        {isAdmin && <Conflicts />}
        {isAdmin && <Expiring />}
        {isAdmin && <Webhooks />}
        <Updated />
        {isAdmin && <Recent />}
      </div>
    </>
  );
}

function Rest({ count, to }: { count: number; to?: string }) {
  if (count <= 0) return null;
  return (
    <Text size="sm" c="dimmed" mt="xs">
      {to === undefined ? (
        `and ${count.toLocaleString('en')} more`
      ) : (
        <Anchor component={Link} to={to}>
          and {count.toLocaleString('en')} more
        </Anchor>
      )}
    </Text>
  );
}

function Broken() {
  const { run, start } = useValidationRun();
  const isRunning = run.status === 'running';
  const broken = [...run.results.values()].filter(({ issues }) =>
    issues.some(({ severity }) => severity === 'error'),
  );
  const query = { data: run, error: null, refetch: start };
  return (
    <Card title="Broken dashboards" icon="check" query={query} none="">
      {() => (
        <>
          {run.status === 'none' && (
            <Text size="sm" c="dimmed" mb="xs">
              Not validated since you opened the console.
            </Text>
          )}
          {run.status !== 'none' && (
            <Text size="sm" mb="xs" role="status">
              {isRunning ? `${run.done} of ${run.total ?? '…'} validated. ` : ''}
              {broken.length === 0 ? 'None found.' : `${broken.length.toLocaleString('en')} broken.`}
            </Text>
          )}
          <List>
            {broken.slice(0, SHOWN).map(({ id, title }) => (
              <li key={id}>
                <CardLink to={`/validation/${id}`}>{title}</CardLink>
              </li>
            ))}
          </List>
          <Rest count={broken.length - SHOWN} to="/validation" />
          <Button size="compact-sm" variant="light" mt="sm" loading={isRunning} onClick={start}>
            {run.status === 'none' ? 'Validate' : 'Validate again'}
          </Button>{' '}
          <Button component={Link} to="/validation" size="compact-sm" variant="subtle" mt="sm">
            Open the validation
          </Button>
        </>
      )}
    </Card>
  );
}

function Conflicts() {
  const query = useCard('conflicts', readConflicts);
  return (
    <Card
      title="Policy conflicts"
      icon="warning"
      query={query}
      none="The policies of the first five connections have no warnings."
      countOf={({ warnings }) => warnings.length}
    >
      {({ warnings, isCut }) => (
        <>
          <List>
            {warnings.slice(0, SHOWN).map(({ message, definitionId }) => (
              <li key={`${definitionId} ${message}`}>
                {definitionId === null ? (
                  message
                ) : (
                  <CardLink to={`/policies/definitions/${definitionId}`}>{message}</CardLink>
                )}
              </li>
            ))}
          </List>
          <Rest count={warnings.length - SHOWN} />
          {isCut && <Limit>The first five connections were checked.</Limit>}
        </>
      )}
    </Card>
  );
}

function Expiring() {
  const query = useCard('expiring', readExpiring);
  return (
    <Card
      title="Expiring shares"
      icon="share"
      query={query}
      none={`No recent share ends within ${SOON_DAYS} days.`}
      countOf={({ total }) => total}
    >
      {({ shares, total, isCut }) => (
        <>
          <List>
            {shares.map(({ id, resourceId, resourceType, title, role, expiresAt }) => (
              <li key={id}>
                <CardLink to={`/${resourceType}s/${resourceId}`} search={{ tab: 'sharing' }}>
                  {title}
                </CardLink>
                <Text size="sm" c="dimmed" component="span">
                  {levelName(role)}, <EndTime at={expiresAt} />
                </Text>
              </li>
            ))}
          </List>
          <Rest count={total - shares.length} />
          {isCut && <Limit>By the latest 500 changes of shares.</Limit>}
        </>
      )}
    </Card>
  );
}

function Webhooks() {
  const query = useCard('webhooks', readWebhooks);
  return (
    <Card
      title="Failing webhooks"
      icon="webhook"
      query={query}
      none="No webhook of the first ten enabled ones fails."
      countOf={({ failing }) => failing.length}
    >
      {({ failing, isCut }) => (
        <>
          <List>
            {failing.slice(0, SHOWN).map(({ webhook, reason }) => (
              <li key={webhook.id}>
                <CardLink to={`/webhooks/${webhook.id}`}>
                  {webhook.description === '' ? webhook.url : webhook.description}
                </CardLink>
                <Text size="sm" c="dimmed" component="span">
                  {reason}
                </Text>
              </li>
            ))}
          </List>
          <Rest count={failing.length - SHOWN} to="/webhooks" />
          {isCut && <Limit>The first ten enabled webhooks were checked.</Limit>}
        </>
      )}
    </Card>
  );
}

function Updated() {
  const query = useCard('updated', readUpdated);
  return (
    <Card
      title="Recently changed dashboards"
      icon="dashboard"
      query={query}
      none="Dashboards that you can open appear here."
    >
      {(dashboards) => (
        <List>
          {dashboards.slice(0, SHOWN).map(({ id, title, updatedAt }) => (
            <li key={id}>
              <CardLink to={`/dashboards/${id}`}>{title}</CardLink>
              <Text size="sm" c="dimmed" component="span">
                <RelativeTime at={updatedAt} />
              </Text>
            </li>
          ))}
        </List>
      )}
    </Card>
  );
}

function Recent() {
  const query = useCard('recent', readRecent);
  return (
    <Card title="Recent activity" icon="history" query={query} none="Nothing is recorded yet." isWide>
      {(events) => (
        <>
          <List>
            {events.map(({ id, type, outcome, actorId, time, data }) => (
              <li key={id}>
                <span>
                  <CardLink to="/audit" search={{ entry: id, entryTime: time }}>
                    {describeEvent(type)}
                  </CardLink>{' '}
                  <Text size="sm" component="span" dir="auto">
                    {recordName(data)}
                  </Text>{' '}
                  {outcome === 'refused' && <Badge color="red">Refused</Badge>}
                </span>
                <Text size="sm" c="dimmed" component="span">
                  <ActorName id={actorId} />, <RelativeTime at={time} />
                </Text>
              </li>
            ))}
          </List>
          <Button component={Link} to="/audit" size="compact-sm" variant="subtle" mt="sm">
            Open the audit log
          </Button>
        </>
      )}
    </Card>
  );
}
