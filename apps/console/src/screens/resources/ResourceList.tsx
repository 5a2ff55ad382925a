import { Anchor, Badge, Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { LevelBadge } from '../../components/badges.js';
import { BulkBar } from '../../components/BulkBar.js';
import type { Column } from '../../components/columns.js';
import { ConfirmDelete } from '../../components/ConfirmDelete.js';
import { EmptyState } from '../../components/EmptyState.js';
import { ExportButton } from '../../components/ExportButton.js';
import { Icon } from '../../components/Icon.js';
import { ListToolbar } from '../../components/ListToolbar.js';
import { PageHeader } from '../../components/PageHeader.js';
import { PersonName } from '../../components/PersonName.js';
import { RecordTable } from '../../components/RecordTable.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { runBulk } from '../../components/runBulk.js';
import { useSelection, type Selection } from '../../components/selection.js';
import { useSort } from '../../components/useSort.js';
import { useApi } from '../../data/api.js';
import { countOf, useList } from '../../data/useList.js';
import { useCache } from '../../data/useRecord.js';
import { useUrlState } from '../../data/urlState.js';
import { useHasRole } from '../../session/SessionContext.js';
import type { Kind, Summary } from './kind.js';
import { ResourceFilters } from './ResourceFilters.js';

function columnsOf({ path }: Kind): readonly Column<Summary>[] {
  return [
    {
      id: 'title',
      header: 'Title',
      width: 'minmax(0, 2.4fr)',
      sortKey: 'title',
      text: ({ title }) => title,
      render: ({ id, title, isPrivate }) => (
        <>
          <Anchor
            component={Link}
            to={`${path}/${id}`}
            size="sm"
            fw={500}
            c="var(--mantine-color-text)"
            dir="auto"
          >
            {title}
          </Anchor>
          {isPrivate && (
            <Badge color="gray" ml="xs" size="sm">
              Private
            </Badge>
          )}
        </>
      ),
    },
    {
      id: 'access',
      header: 'Your access',
      width: '7rem',
      text: ({ accessLevel }) => accessLevel ?? '',
      render: ({ accessLevel }) => <LevelBadge level={accessLevel} />,
    },
    {
      id: 'owner',
      header: 'Owner',
      isWide: true,
      text: ({ ownerId }) => ownerId,
      render: ({ ownerId }) => <PersonName id={ownerId} />,
    },
    {
      id: 'tags',
      header: 'Tags',
      isWide: true,
      text: ({ tags }) => tags.join('; '),
      render: ({ tags }) =>
        tags.map((tag) => (
          <Badge key={tag} color="gray" mr={4} size="sm">
            {tag}
          </Badge>
        )),
    },
    {
      id: 'updated',
      header: 'Updated',
      width: '8.5rem',
      sortKey: 'updatedAt',
      isWide: true,
      text: ({ updatedAt }) => updatedAt,
      render: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
    },
  ];
}

/** The dashboards or the visuals of the project. */
export function ResourceList({ kind }: { kind: Kind }) {
  const [filters] = useUrlState();
  const source = kind.list(filters);
  const list = useList(source);
  const selection = useSelection();
  const sort = useSort({ key: 'updatedAt', order: 'desc' });
  const canCreate = useHasRole('POWER_USER');
  const columns = columnsOf(kind);
  const isFiltered = ['search', 'visibility', 'by', 'tag', 'tenant'].some((name) => filters[name]);
  const create = canCreate && (
    <Button component={Link} to={`${kind.path}/new`} leftSection={<Icon name="plus" />}>
      New {kind.noun}
    </Button>
  );
  return (
    <>
      <PageHeader title={kind.plural} actions={create} />
      <ListToolbar
        searchLabel={`Search ${kind.plural.toLowerCase()}`}
        count={countOf(list)}
        actions={<ExportButton source={source} columns={columns} fileName={kind.plural.toLowerCase()} />}
      >
        <ResourceFilters />
      </ListToolbar>
      <BulkBar selection={selection}>
        <BulkDelete kind={kind} items={list.items} selection={selection} />
      </BulkBar>
      <RecordTable
        label={kind.plural}
        list={list}
        columns={columns}
        idOf={({ id }) => id}
        nameOf={({ title }) => title}
        sort={sort}
        selection={selection}
        empty={<NoResources kind={kind} isFiltered={isFiltered} create={create} />}
      />
    </>
  );
}

function NoResources({
  kind,
  isFiltered,
  create,
}: {
  kind: Kind;
  isFiltered: boolean;
  create: React.ReactNode;
}) {
  if (isFiltered)
    return (
      <EmptyState icon="search" title={`No ${kind.noun} matches`}>
        Change the search or the filters. ADMINs also find those that nobody shared with them under
        “Everything in the project”.
      </EmptyState>
    );
  return (
    <EmptyState icon={kind.icon} title={`No ${kind.plural.toLowerCase()} yet`} action={create}>
      What you create, and what others share with you, appears here.
    </EmptyState>
  );
}

interface BulkProps {
  kind: Kind;
  items: readonly Summary[];
  selection: Selection;
}

function BulkDelete({ kind, items, selection }: BulkProps) {
  const api = useApi();
  const cache = useCache();
  const [isOpen, setOpen] = useState(false);
  const chosen = items.filter(({ id }) => selection.ids.has(id));
  const run = async () => {
    await runBulk(
      chosen,
      ({ id }) => kind.remove(api, id),
      (count) => `${count} ${kind.noun}s deleted`,
    );
    selection.set([]);
    await cache.outdate(`${kind.noun}s`);
  };
  return (
    <>
      <Button size="compact-sm" variant="light" color="red" onClick={() => setOpen(true)}>
        Delete
      </Button>
      <ConfirmDelete
        name={`${chosen.length} ${kind.noun}s`}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        onConfirm={run}
      >
        Their shares are deleted as well. This cannot be undone.
      </ConfirmDelete>
    </>
  );
}
