import { Button, Select } from '@mantine/core';
import { EmptyState } from '../../components/EmptyState.js';
import { PageHeader } from '../../components/PageHeader.js';
import { Picker } from '../../components/Picker.js';
import { dashboardSource, peopleSource, visualSource } from '../../data/choices.js';
import { useNames } from '../../data/names.js';
import { useUrlState } from '../../data/urlState.js';
import { useSession } from '../../session/SessionContext.js';
import classes from './Access.module.css';
import { Explanation } from './Explanation.js';
import { PersonReach } from './PersonReach.js';
import { useResource, type ResourceType } from './reach.js';
import { ResourcePeople } from './ResourcePeople.js';
import { TimeTravel } from './TimeTravel.js';

/**
 * What a person can open, who can open a resource, or how a person reaches a resource: by which of the two is
 * chosen. All of it is shown for the present or a moment of the past.
 */
export function Explorer() {
  const [{ person, resource, type: shown }, setState] = useUrlState();
  const type: ResourceType = shown === 'visual' ? 'visual' : 'dashboard';
  const { user } = useSession();
  const named = useNames('people', person === undefined ? [] : [person]).get(person ?? '');
  const personName = named?.name ?? person ?? '';
  const record = useResource(resource, type);
  const chosen = { id: resource ?? '', type, name: record?.title ?? resource ?? '' };
  const view = () => {
    if (person !== undefined && resource !== undefined)
      return (
        <Explanation
          key={`${person} ${resource}`}
          person={{ id: person, name: personName }}
          resource={chosen}
        />
      );
    if (person !== undefined) return <PersonReach person={{ id: person, name: personName }} type={type} />;
    if (resource !== undefined) return <ResourcePeople resource={chosen} />;
    return (
      <EmptyState
        icon="access"
        title="Choose a person or a resource"
        action={
          <Button variant="default" onClick={() => setState({ person: user.id }, true)}>
            Begin with yourself
          </Button>
        }
      >
        With a person you see all that this person can open, with a resource all people who can open it. With
        both you see each path between them. A slider shows the past.
      </EmptyState>
    );
  };
  return (
    <>
      <PageHeader title="Access" />
      <div className={classes['controls']}>
        <div className={classes['picker']}>
          <Picker
            label="Person"
            value={person === undefined ? null : { id: person, name: personName }}
            onChange={(choice) => setState({ person: choice?.id, search: undefined }, true)}
            source={peopleSource}
          />
        </div>
        <Select
          label="Kind"
          w={130}
          allowDeselect={false}
          data={[
            { value: 'dashboard', label: 'Dashboards' },
            { value: 'visual', label: 'Visuals' },
          ]}
          value={type}
          onChange={(value) =>
            setState({ type: value ?? undefined, resource: undefined, search: undefined }, true)
          }
        />
        <div className={classes['picker']}>
          <Picker
            key={type}
            label={type === 'visual' ? 'Visual' : 'Dashboard'}
            value={resource === undefined ? null : { id: resource, name: chosen.name }}
            onChange={(choice) => setState({ resource: choice?.id, search: undefined }, true)}
            source={type === 'visual' ? visualSource : dashboardSource}
          />
        </div>
      </div>
      {(person !== undefined || resource !== undefined) && (
        <TimeTravel createdAt={resource === undefined ? named?.createdAt : record?.createdAt} />
      )}
      {view()}
    </>
  );
}
