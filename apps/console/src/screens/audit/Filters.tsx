import { Button, Select, Switch, TextInput } from '@mantine/core';
import { Picker } from '../../components/Picker.js';
import { peopleSource } from '../../data/choices.js';
import { usePersonName } from '../../data/names.js';
import { useUrlState } from '../../data/urlState.js';
import { useUrlText } from '../../data/useUrlText.js';
import { describeEvent } from '../../logic/eventNames.js';
import { EVENT_NOUNS, EVENT_TYPES } from '../../logic/eventTypes.js';
import classes from './Audit.module.css';
import { FILTERS } from './sources.js';

interface Option {
  value: string;
  label: string;
}

const NOUN_CHOICES: readonly Option[] = EVENT_NOUNS.map((noun) => ({
  value: noun,
  label: describeEvent(`management.${noun}`),
}));
/** The events of each kind of resource, after the choice of all of them. */
const EVENT_CHOICES: readonly Option[] = NOUN_CHOICES.flatMap(({ value: noun, label }) => [
  { value: `management.${noun}.*`, label: `${label}: all events` },
  ...EVENT_TYPES.filter((type) => type.startsWith(`management.${noun}.`)).map((type) => ({
    value: type,
    label: describeEvent(type),
  })),
]);

/** The filters of the audit log, which the address has. */
export function Filters() {
  const [state, setState] = useUrlState();
  const { actor, outcome, from, to, inProject } = state;
  const actorName = usePersonName(actor);
  const isFiltered = FILTERS.some((name) => state[name]);
  const clear = () => setState(Object.fromEntries(FILTERS.map((name) => [name, undefined])));
  return (
    <div className={classes['filters']} role="search" aria-label="Filters of the audit log">
      <ChoiceFilter name="type" label="Event" choices={EVENT_CHOICES} />
      <ChoiceFilter name="noun" label="Kind of resource" choices={NOUN_CHOICES} />
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

interface FilterProps {
  name: (typeof FILTERS)[number];
  label: string;
}

function TextFilter({ name, ...control }: FilterProps & { maxLength: number }) {
  const [text, change] = useUrlText(name);
  return (
    <TextInput {...control} value={text} onChange={({ currentTarget }) => change(currentTarget.value)} />
  );
}

function ChoiceFilter({ name, label, choices }: FilterProps & { choices: readonly Option[] }) {
  const [state, setState] = useUrlState();
  const value = state[name] ?? null;
  const isListed = value === null || choices.some((choice) => choice.value === value);
  // An address may have a pattern of its own, such as `management.*`.
  const data = isListed ? choices : [{ value, label: value }, ...choices];
  return (
    <Select
      label={label}
      placeholder="All"
      clearable
      searchable
      nothingFoundMessage="Nothing found"
      data={[...data]}
      value={value}
      onChange={(choice) => setState({ [name]: choice ?? undefined })}
    />
  );
}
