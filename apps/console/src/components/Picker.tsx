import { Combobox, InputBase, Loader, Text, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useList, type ListSource } from '../data/useList.js';

/** What a picker can choose. */
export interface Choice {
  id: string;
  name: string;
  /** A second line, such as an e-mail address. */
  detail?: string | undefined;
}

interface Props {
  label: string;
  description?: string | undefined;
  placeholder?: string;
  error?: string | undefined;
  isDisabled?: boolean;
  isRequired?: boolean;
  value: Choice | null;
  onChange(choice: Choice | null): void;
  /** The choices that match a search. The server searches, so that none is missed. */
  source(search: string): ListSource<Choice>;
}

const SEARCH_DELAY_MS = 150;
/** The focus opens the choices below the field, where they would cover an error. */
const INPUT_LAST: ('label' | 'description' | 'error' | 'input')[] = [
  'label',
  'description',
  'error',
  'input',
];

/** Chooses one record by its name. */
export function Picker(props: Props) {
  const { label, description, placeholder, error, isDisabled, isRequired, value, onChange } = props;
  const [text, setText] = useState<string | null>(null);
  // A form that keeps only the id reads the name again; until then this one is shown.
  const [chosen, setChosen] = useState<Choice | null>(null);
  const name = value !== null && value.id === chosen?.id ? chosen.name : value?.name;
  const combobox = useCombobox({
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      setText(null);
    },
  });
  return (
    <Combobox
      store={combobox}
      withinPortal
      onOptionSubmit={(_id, option) => {
        const choice = JSON.parse(String(Reflect.get(option, 'data-choice'))) as Choice;
        setChosen(choice);
        onChange(choice);
        combobox.closeDropdown();
      }}
    >
      <Combobox.Target>
        <InputBase
          label={label}
          description={description}
          placeholder={placeholder ?? 'Search by name'}
          error={error}
          inputWrapperOrder={INPUT_LAST}
          disabled={isDisabled}
          withAsterisk={isRequired}
          rightSection={
            value === null ? <Combobox.Chevron /> : <Combobox.ClearButton onClear={() => onChange(null)} />
          }
          rightSectionPointerEvents={value === null ? 'none' : 'all'}
          value={text ?? name ?? ''}
          onFocus={() => combobox.openDropdown()}
          onClick={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
          onChange={(event) => {
            setText(event.currentTarget.value);
            combobox.openDropdown();
            combobox.updateSelectedOptionIndex();
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        {combobox.dropdownOpened && <Options text={text ?? ''} source={props.source} label={label} />}
      </Combobox.Dropdown>
    </Combobox>
  );
}

function Options({ text, source, label }: { text: string; source: Props['source']; label: string }) {
  const [search] = useDebouncedValue(text.trim(), SEARCH_DELAY_MS);
  const list = useList(source(search));
  return (
    <Combobox.Options
      aria-label={label}
      mah={280}
      style={{ overflowY: 'auto' }}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        if (scrollHeight - scrollTop < clientHeight * 2) list.loadMore();
      }}
    >
      {list.isLoading && <Loader role="status" size="xs" m="xs" aria-label="Searching" />}
      {!list.isLoading && list.items.length === 0 && <Combobox.Empty>Nothing found</Combobox.Empty>}
      {list.items.map((choice) => (
        <Combobox.Option value={choice.id} key={choice.id} data-choice={JSON.stringify(choice)}>
          <Text size="sm" truncate>
            {choice.name}
          </Text>
          {choice.detail !== undefined && (
            <Text size="xs" c="dimmed" truncate>
              {choice.detail}
            </Text>
          )}
        </Combobox.Option>
      ))}
    </Combobox.Options>
  );
}
