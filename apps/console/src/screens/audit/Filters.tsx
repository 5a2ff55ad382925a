import { Autocomplete, Button, Select, Switch, TextInput } from '@mantine/core';
import { Picker } from '../../components/Picker.js';
import { peopleSource } from '../../data/choices.js';
import { usePersonName } from '../../data/names.js';
import { useUrlState } from '../../data/urlState.js';
import { useUrlText } from '../../data/useUrlText.js';
import { EVENT_NOUNS, EVENT_TYPES } from '../../logic/eventTypes.js';
import classes from './Audit.module.css';
import { FILTERS } from './sources.js';

const TYPE_PATTERNS = [...EVENT_NOUNS.map((noun) => `management.${noun}.*`), ...EVENT_TYPES];

/** The filters of the audit log, which the address has. */
export function Filters() {
  const [state, setState] = useUrlState();
  const { actor, outcome, from, to, inProject } = state;
  const actorName = usePersonName(actor);
  const isFiltered = FILTERS.some((name) => state[name]);
  const clear = () => setState(Object.fromEntries(FILTERS.map((name) => [name, undefined])));
  return (
    <div className={classes['filters']} role="search" aria-label="Filters of the audit log">
      <TextFilter
        name="type"
        label="Event type"
        placeholder="management.dashboard.*"
        maxLength={100}
        suggestions={TYPE_PATTERNS}
      />
      <TextFilter
        name="noun"
        label="Kind of resource"
        placeholder="dashboard_share"
        maxLength={100}
        suggestions={EVENT_NOUNS}
      />
      <TextFilter name="resource" label="Resource id" maxLength={200} />
      <TextFilter name="request" label="Request id" maxLength={200} />
      <Picker
        label="Person"
        value={actor === undefined ? null : { id: actor, name: actorName }}
        onChange={(choice) => setState({ actor: choice?.id })}
        source={peopleSource}
      />
      <Select
        label="Outcome"
        placeholder="All"
        clearable
        data={[
          { value: 'done', label: 'Done' },
          { value: 'refused', label: 'Refused' },
        ]}
        value={outcome ?? null}
        onChange={(value) => setState({ outcome: value ?? undefined })}
      />
      <TextInput
        type="date"
        label="From"
        value={from ?? ''}
        onChange={({ currentTarget }) => setState({ from: currentTarget.value })}
      />
      <TextInput
        type="date"
        label="Until"
        value={to ?? ''}
        onChange={({ currentTarget }) => setState({ to: currentTarget.value })}
      />
      <Switch
        label="This project only"
        checked={inProject === 'yes'}
        onChange={({ currentTarget }) => setState({ inProject: currentTarget.checked ? 'yes' : undefined })}
      />
      {isFiltered && (
        <Button variant="subtle" onClick={clear}>
          Clear the filters
        </Button>
      )}
    </div>
  );
}

interface TextFilterProps {
  name: (typeof FILTERS)[number];
  label: string;
  placeholder?: string;
  maxLength: number;
  /** What it offers, beside other texts. */
  suggestions?: readonly string[];
}

function TextFilter({ name, suggestions = [], ...control }: TextFilterProps) {
  const [text, change] = useUrlText(name);
  return <Autocomplete {...control} data={[...suggestions]} value={text} onChange={change} />;
}
