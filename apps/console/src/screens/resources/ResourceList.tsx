import { Badge } from '@mantine/core';
import { LevelBadge } from '../../components/badges.js';
import { Badged } from '../../components/Badged.js';
import type { Column } from '../../components/columns.js';
import { ListScreen } from '../../components/ListScreen.js';
import { NameLink } from '../../components/NameLink.js';
import { PersonName } from '../../components/PersonName.js';
import { RelativeTime } from '../../components/RelativeTime.js';
import { useSort } from '../../components/useSort.js';
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
        <Badged>
          <NameLink to={`${path}/${id}`} name={title} />
          {isPrivate && (
            <Badge color="gray" size="sm">
              Private
            </Badge>
          )}
        </Badged>
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
      person: ({ ownerId }) => ownerId,
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
  const sort = useSort({ key: 'updatedAt', order: 'desc' });
  const canCreate = useHasRole('POWER_USER');
  const plural = kind.plural.toLowerCase();
  return (
    <ListScreen
      title={kind.plural}
      noun={[kind.noun, plural]}
      icon={kind.icon}
      source={kind.list(filters)}
      columns={columnsOf(kind)}
      idOf={({ id }) => id}
      nameOf={({ title }) => title}
      createPath={canCreate ? `${kind.path}/new` : null}
      searchLabel={`Search ${plural}`}
      filters={<ResourceFilters />}
      isFiltered={['search', 'visibility', 'by', 'tag', 'tenant'].some((name) => filters[name])}
      sort={sort}
      removal={
        canCreate
          ? {
              remove: (api, { id }) => kind.remove(api, id),
              outdates: [plural],
              consequence: 'Their shares are deleted as well.',
            }
          : null
      }
      hint="What you create, and what others share with you, appears here."
    />
  );
}
