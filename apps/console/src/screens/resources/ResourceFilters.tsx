import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useUrlState } from '../../data/urlState.js';
import { useHasRole, useSession } from '../../session/SessionContext.js';

const FILTER_DELAY_MS = 250;

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
  const [{ tag = '' }, setState] = useUrlState();
  const [text, setText] = useState(tag);
  const apply = useDebouncedCallback((value: string) => setState({ tag: value.trim() }), FILTER_DELAY_MS);
  return (
    <TextInput
      aria-label="Tag"
      placeholder="Tag"
      w={110}
      maxLength={100}
      value={text}
      onChange={({ currentTarget: { value } }) => {
        setText(value);
        apply(value);
      }}
    />
  );
}
