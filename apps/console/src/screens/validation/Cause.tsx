import { Anchor, Badge, Button, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Icon } from '../../components/Icon.js';
import { ShowMore } from '../../components/ShowMore.js';
import { useUrlState } from '../../data/urlState.js';
import type { IssueCause } from '../../logic/issueCauses.js';
import { CODE_TITLES, mayBeRepaired } from './issueTexts.js';
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
  const { dashboards, severity, suggestions } = cause;
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
            <Text size="sm" c="dimmed">
              {suggestions.length > 0
                ? `Similar names: ${suggestions.join(', ')}`
                : 'No similar name exists.'}
            </Text>
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
