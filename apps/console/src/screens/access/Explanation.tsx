import type { AccessExplanation } from '@gatehouse/contract';
import { Alert, Anchor, Badge, Group, Skeleton, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { LevelBadge } from '../../components/badges.js';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { usePreload } from '../../components/onDemand.js';
import { Page } from '../../components/Page.js';
import { useUrlState } from '../../data/urlState.js';
import { graphOfPerson, wayOf, withNames } from '../../logic/accessGraph.js';
import { LEVEL_NAMES, roleName } from '../../logic/shares.js';
import classes from './Access.module.css';
import { LazyDrawing } from './LazyDrawing.js';
import { useExplanation, useWayNames, type ResourceType } from './reach.js';
import { isUnknownThen, UnknownMoment } from './UnknownMoment.js';

interface Props {
  person: { id: string; name: string };
  resource: { id: string; type: ResourceType; name: string };
}

/** Each path from a person to a resource, the deciding one marked, now or at a moment of the past. */
export function Explanation({ person, resource }: Props) {
  const [{ at }] = useUrlState();
  usePreload(LazyDrawing);
  const { data, error, refetch, isPlaceholderData } = useExplanation(person.id, resource, at);
  return (
    <Page>
      <Stack gap="md">
        {isUnknownThen(error, at) && <UnknownMoment />}
        {error !== null && !isUnknownThen(error, at) && (
          <ErrorNotice error={error} title="The access could not be read" onRetry={() => void refetch()} />
        )}
        {error === null && data === undefined && <Skeleton height={120} />}
        {error === null && data !== undefined && (
          <div style={{ opacity: isPlaceholderData ? 0.6 : 1 }}>
            <Paths person={person} resource={resource} access={data} />
          </div>
        )}
      </Stack>
    </Page>
  );
}

function Paths({ person, resource, access }: Props & { access: AccessExplanation }) {
  const [{ at }] = useUrlState();
  const { accessLevel, grants, role, ceiling, basedOn } = access;
  const ways = useMemo(() => grants.map(wayOf), [grants]);
  const names = useWayNames(ways);
  const graph = useMemo(() => {
    const reached = { id: resource.id, title: resource.name, level: accessLevel ?? 'VIEWER', grants };
    return withNames(graphOfPerson(person, [reached]), names);
  }, [person.id, person.name, resource.id, resource.name, accessLevel, grants, names]);
  const missing = basedOn ? basedOn.resource.missing + basedOn.user.missing : 0;
  return (
    <Stack gap="md">
      <Group gap="xs">
        <LevelBadge level={accessLevel} />
        <Text size="sm">
          The role {roleName(role)} allows {LEVEL_NAMES[ceiling]} at most.
        </Text>
      </Group>
      {missing > 0 && (
        <Alert color="yellow" title="The record of this moment is incomplete">
          {missing} earlier events have not arrived and are not included.
        </Alert>
      )}
      {grants.length > 0 && (
        <div className={classes['small']}>
          <LazyDrawing graph={graph} label="The paths; the list below has the same" />
        </div>
      )}
      <Title order={2} size="h5">
        Paths
      </Title>
      {grants.length === 0 && (
        <Text size="sm" c="dimmed">
          No grant leads from {person.name} to this {resource.type}.
        </Text>
      )}
      <ul className={classes['grants']} aria-label="Paths">
        {grants.map((grant, index) => {
          const way = wayOf(grant);
          return (
            // Grants have no id of their own, and their order is that of the response.
            <li key={`${way.id} ${index}`}>
              <Text size="sm" dir="auto">
                {names.get(way.id) ?? way.label}
              </Text>
              {way.kind === 'group' && <Badge color="gray">Group</Badge>}
              {way.kind === 'dashboard' && <Badge color="gray">Linked dashboard</Badge>}
              <LevelBadge level={grant.level} />
              {grant.wins && <Badge color="indigo">Decides</Badge>}
            </li>
          );
        })}
      </ul>
      <Group gap="md">
        <Anchor component={Link} to={`/${resource.type}s/${resource.id}`} size="sm">
          Open the {resource.type}
        </Anchor>
        {accessLevel === null && at === undefined && (
          <Anchor
            component={Link}
            to={`/${resource.type}s/${resource.id}`}
            search={{ tab: 'sharing' } as never}
            size="sm"
          >
            Share the {resource.type}
          </Anchor>
        )}
      </Group>
    </Stack>
  );
}
