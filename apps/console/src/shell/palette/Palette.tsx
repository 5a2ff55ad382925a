import { Loader, Modal, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type KeyboardEvent } from 'react';
import { Icon } from '../../components/Icon.js';
import type { Command } from './searches.js';
import { useCommands } from './useCommands.js';
import classes from './Palette.module.css';

const SEARCH_DELAY_MS = 120;

export interface PaletteProps {
  onClose(): void;
}

/** The command palette: pages, actions, and the records that the server finds. */
export function Palette({ onClose }: PaletteProps) {
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), SEARCH_DELAY_MS);
  const { commands, isSearching } = useCommands(text.trim(), search);
  const [index, setIndex] = useState(0);
  const navigate = useNavigate();
  useEffect(() => setIndex(0), [text]);
  const active = Math.min(index, commands.length - 1);
  const run = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    void navigate({ to: command.to, search: command.search ?? {} } as never);
  };
  const steer = (event: KeyboardEvent) => {
    if (event.key === 'Enter') run(commands[active]);
    else if (event.key === 'ArrowDown') setIndex((active + 1) % Math.max(1, commands.length));
    else if (event.key === 'ArrowUp') setIndex((active + commands.length - 1) % Math.max(1, commands.length));
    else return;
    event.preventDefault();
  };
  return (
    <Modal.Root opened onClose={onClose} size="lg" yOffset="12vh" lockScroll={false}>
      <Modal.Overlay />
      <Modal.Content aria-label="Commands">
        <TextInput
          data-autofocus
          variant="unstyled"
          size="md"
          className={classes['input']}
          leftSection={<Icon name="search" />}
          rightSection={isSearching ? <Loader role="status" size="xs" aria-label="Searching" /> : undefined}
          aria-label="Search pages, actions and records"
          placeholder="Search pages, actions and records"
          role="combobox"
          aria-expanded
          aria-controls="commands"
          aria-activedescendant={active >= 0 ? `command-${active}` : undefined}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={steer}
        />
        <Results commands={commands} active={active} isSearching={isSearching} onRun={run} />
      </Modal.Content>
    </Modal.Root>
  );
}

interface ResultsProps {
  commands: readonly Command[];
  active: number;
  isSearching: boolean;
  onRun(command: Command): void;
}

function Results({ commands, active, isSearching, onRun }: ResultsProps) {
  useEffect(() => {
    document.querySelector(`#command-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <div role="listbox" id="commands" aria-label="Results" className={classes['results']} tabIndex={-1}>
      {commands.map((command, index) => (
        <div
          key={`${command.group} ${command.to}`}
          id={`command-${index}`}
          role="option"
          aria-selected={index === active}
          tabIndex={-1}
          className={classes['command']}
          onClick={() => onRun(command)}
          onKeyDown={(event) => event.key === 'Enter' && onRun(command)}
        >
          <Icon name={command.icon} />
          <span className={classes['title']}>{command.title}</span>
          <Text size="xs" c="dimmed" component="span" truncate maw="45%">
            {command.detail ?? command.group}
          </Text>
        </div>
      ))}
      {commands.length === 0 && !isSearching && (
        <div role="option" aria-selected={false} aria-disabled className={classes['none']}>
          Nothing found
        </div>
      )}
    </div>
  );
}
