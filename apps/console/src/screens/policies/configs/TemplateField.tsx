import { Autocomplete, Button, Menu } from '@mantine/core';
import { useRef } from 'react';
import { BUILT_IN_VALUES } from '../../../logic/valueRows.js';

interface Props {
  label: string;
  description?: string;
  placeholder?: string;
  value: string;
  error: string | undefined;
  isDisabled: boolean;
  /** Whole texts that are offered. */
  suggestions?: readonly string[];
  /** The names of values beside those of the actor. */
  names?: readonly string[];
  onChange(value: string): void;
}

const TEMPLATE_MAX = 10_000;
/** How many matches are offered at a time. */
const OFFERED_MAX = 30;

/** A text that may contain placeholders, and a menu that inserts one. */
export function TemplateField(props: Props) {
  const { label, value, error, isDisabled, suggestions = [], names = [], onChange, ...texts } = props;
  const input = useRef<HTMLInputElement>(null);
  const insert = (name: string) => {
    const start = input.current?.selectionStart ?? value.length;
    const end = input.current?.selectionEnd ?? start;
    onChange(`${value.slice(0, start)}{{ ${name} }}${value.slice(end)}`);
  };
  return (
    <div>
      <Autocomplete
        {...texts}
        ref={input}
        label={label}
        error={error}
        openOnFocus={error === undefined}
        limit={OFFERED_MAX}
        maxLength={TEMPLATE_MAX}
        disabled={isDisabled}
        data={[...suggestions]}
        value={value}
        onChange={onChange}
      />
      {!isDisabled && (
        <Menu width={300}>
          <Menu.Target>
            <Button size="compact-sm" variant="subtle" aria-label={`Insert a value into ${label}`}>
              Insert a value
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {Object.entries(BUILT_IN_VALUES).map(([name, title]) => (
              <Menu.Item key={name} onClick={() => insert(name)}>
                {title}
              </Menu.Item>
            ))}
            {names.map((name) => (
              <Menu.Item key={`value ${name}`} onClick={() => insert(name)}>
                {name}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
    </div>
  );
}
