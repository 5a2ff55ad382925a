import { Button, Group, Slider, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useUrlState } from '../../data/urlState.js';
import classes from './Access.module.css';

const DAY_MS = 86_400_000;
/** How far the slider reaches back if the age of the resource is not known. */
const RANGE_MS = 90 * DAY_MS;
const STEPS = 500;

/** Chooses the moment whose access is shown: with a slider since the creation, or exactly. */
export function TimeTravel({ createdAt }: { createdAt: string | undefined }) {
  const [{ at }, setState] = useUrlState();
  const [now] = useState(Date.now);
  const created = createdAt === undefined ? Number.NaN : Date.parse(createdAt);
  const earliest = Number.isNaN(created) ? now - RANGE_MS : Math.min(created, now - 60_000);
  const moment = at === undefined ? now : Date.parse(at);
  const [value, setValue] = useState(moment);
  useEffect(() => setValue(Number.isNaN(moment) ? now : moment), [moment, now]);
  const choose = (next: number) => setState({ at: next >= now ? undefined : new Date(next).toISOString() });
  return (
    <div>
      <Group justify="space-between" align="flex-end">
        <TextInput
          type="datetime-local"
          label="Moment"
          size="sm"
          value={toLocal(value)}
          max={toLocal(now)}
          onChange={({ currentTarget }) => {
            const next = Date.parse(currentTarget.value);
            if (!Number.isNaN(next)) choose(next);
          }}
        />
        <Group gap="xs">
          <Text size="sm" role="status">
            {at === undefined ? 'Now' : new Date(moment).toLocaleString()}
          </Text>
          {at !== undefined && (
            <Button size="compact-sm" variant="default" onClick={() => setState({ at: undefined })}>
              Back to now
            </Button>
          )}
        </Group>
      </Group>
      <div className={classes['slider']}>
        <Slider
          thumbLabel="Moment of the access"
          min={earliest}
          max={now}
          step={Math.max(1, Math.round((now - earliest) / STEPS))}
          value={Math.min(now, Math.max(earliest, value))}
          onChange={setValue}
          onChangeEnd={choose}
          label={(shown) => new Date(shown).toLocaleString()}
          marks={[
            { value: earliest, label: Number.isNaN(created) ? '90 days ago' : 'Created' },
            { value: now, label: 'Now' },
          ]}
        />
      </div>
    </div>
  );
}

/** A moment as a control of the kind `datetime-local` writes it. */
function toLocal(moment: number): string {
  const offset = new Date(moment).getTimezoneOffset() * 60_000;
  return new Date(moment - offset).toISOString().slice(0, 16);
}
