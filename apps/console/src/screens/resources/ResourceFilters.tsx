import { Select, TextInput } from '@mantine/core';
import { useUrlState } from '../../data/urlState.js';
import { useUrlText } from '../../data/useUrlText.js';
import { useHasRole, useSession } from '../../session/SessionContext.js';

/** The filters of a list of dashboards or visuals, in the address. */
export function ResourceFilters() {
  const [{ visibility, by, scope }, setState] = useUrlState();
  const { user } = useSession();
  const isAdmin = useHasRole('ADMIN');
  const shown = [
    { value: 'accessible', label: 'Accessible to you' },
    { value: 'mine', label: 'Created by you' },
    ...(isAdmin ? [{ value: 'organization', label: 'Everything in the project' }] : []),
  ];
  return (
    <>
      <Select
        aria-label="Which ones"
        w={190}
        data={shown}
        allowDeselect={false}
        value={by === user.id ? 'mine' : (scope ?? 'accessible')}
        onChange={(value) =>
          setState({
            by: value === 'mine' ? user.id : undefined,
            scope: value === 'organization' ? value : undefined,
          })
        }
      />
      <Select
        aria-label="Visibility"
        placeholder="Visibility"
        w={130}
        clearable
        data={[
          { value: 'private', label: 'Private' },
          { value: 'shared', label: 'Not private' },
        ]}
        value={visibility ?? null}
        onChange={(value) => setState({ visibility: value ?? undefined })}
      />
      <TagFilter />
    </>
  );
}

function TagFilter() {
  const [text, change] = useUrlText('tag');
  return (
    <TextInput
      aria-label="Tag"
      placeholder="Tag"
      w={110}
      maxLength={100}
      value={text}
      onChange={({ currentTarget }) => change(currentTarget.value)}
    />
  );
}
