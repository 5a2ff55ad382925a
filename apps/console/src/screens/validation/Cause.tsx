import { Anchor, Badge, Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Icon } from '../../components/Icon.js';
import { ShowMore } from '../../components/ShowMore.js';
import { useApi } from '../../data/api.js';
import { useUrlState } from '../../data/urlState.js';
import type { IssueCause } from '../../logic/issueCauses.js';
import { useSession } from '../../session/SessionContext.js';
import { CODE_TITLES, HINTS, mayBeRepaired } from './issueTexts.js';
import { calculateRepair } from './repair.js';
import { REPAIR, RepairDialog } from './RepairDialog.js';
import classes from './Validation.module.css';

const DASHBOARDS_STEP = 25;

interface Props {
  cause: IssueCause;
  /** Whether the validation has ended: until then the cause may still gain dashboards. */
  isComplete: boolean;
}

/** One cause with the dashboards that it affects, and their repair. The address has the one opened last. */
export function Cause({ cause, isComplete }: Props) {
  const [{ cause: linked, dialog }, setState] = useUrlState();
  const [isOpen, setOpen] = useState(linked === cause.key);
  const { dashboards, severity } = cause;
  const toggle = (opens: boolean) => {
    if (opens === isOpen) return;
    setOpen(opens);
    setState({ cause: opens ? cause.key : undefined });
  };
  return (
    <details
      className={classes['cause']}
      open={isOpen}
      onToggle={(event) => toggle(event.currentTarget.open)}
    >
      <summary>
        <Badge color={severity === 'error' ? 'red' : 'yellow'}>{CODE_TITLES[cause.code]}</Badge>
        <Text component="span" size="sm" fw={500} className={classes['subject']} dir="auto">
          {cause.subject}
        </Text>
        <Text component="span" size="sm" c="dimmed">
          {dashboards.length.toLocaleString('en')} {dashboards.length === 1 ? 'dashboard' : 'dashboards'},{' '}
          {cause.issueCount.toLocaleString('en')} {cause.issueCount === 1 ? 'issue' : 'issues'}
        </Text>
      </summary>
      {isOpen && (
        <div className={classes['body']}>
          <Group justify="space-between" mb="xs">
            {mayBeRepaired(cause) ? (
              <NewName cause={cause} isComplete={isComplete} />
            ) : (
              <Hint cause={cause} />
            )}
            {mayBeRepaired(cause) && (
              <Button
                size="compact-sm"
                variant="light"
                leftSection={<Icon name="edit" />}
                disabled={!isComplete}
                onClick={() => setState({ cause: cause.key, dialog: REPAIR }, true)}
              >
                {isComplete ? 'Repair …' : 'Repair after the validation'}
              </Button>
            )}
          </Group>
          <ul className={classes['list']}>
            <ShowMore items={dashboards} step={DASHBOARDS_STEP}>
              {(part) =>
                part.map(({ id, title, issues }) => (
                  <li key={id}>
                    <Anchor component={Link} to={`/validation/${id}`} size="sm" dir="auto">
                      {title}
                    </Anchor>
                    <Text size="xs" c="dimmed">
                      {issues[0]?.path}
                      {issues.length > 1 && ` and ${issues.length - 1} more`}
                    </Text>
                  </li>
                ))
              }
            </ShowMore>
          </ul>
        </div>
      )}
      {isComplete && linked === cause.key && dialog === REPAIR && (
        <RepairDialog dashboards={dashboards} onClose={() => setState({ dialog: undefined })} />
      )}
    </details>
  );
}

/** What to do about a cause that no rename repairs. */
function Hint({ cause: { code } }: { cause: IssueCause }) {
  const hint = HINTS[code];
  return (
    <Text size="sm" c="dimmed">
      {hint ?? 'Open a dashboard to see where, and change its template.'}{' '}
      {code === 'CATALOG_UNAVAILABLE' && (
        <Anchor component={Link} to="/connections" inherit>
          Open the connections
        </Anchor>
      )}
    </Text>
  );
}

/**
 * What the missing name has become. The history of the catalog may prove a rename to a name that is not
 * similar, which the repair of the first dashboard shows; the similar names are only a guess.
 */
function NewName({ cause, isComplete }: Props) {
  const api = useApi();
  const { project } = useSession();
  const { dashboards, suggestions } = cause;
  const [first] = dashboards;
  const { data, isLoading } = useQuery({
    queryKey: ['records', project.id, 'validation', 'rename', cause.key, first?.id],
    queryFn: ({ signal }) => (first === undefined ? null : calculateRepair(api, first, signal)),
    enabled: isComplete,
    refetchOnWindowFocus: false,
  });
  const names = [...new Set(data?.fixes.map(({ to }) => to))];
  const guess =
    suggestions.length > 0 ? `Similar names: ${suggestions.join(', ')}` : 'No similar name exists.';
  return (
    <Text size="sm" c="dimmed" aria-busy={isLoading}>
      {names.length > 0 ? `Renamed to ${names.join(', ')}` : isLoading ? 'Looking for a rename …' : guess}
    </Text>
  );
}
