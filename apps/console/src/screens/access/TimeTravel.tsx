import { Button, Slider, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useUrlState } from '../../data/urlState.js';
import { localInputValue } from '../../logic/times.js';
import classes from './Access.module.css';

const DAY_MS = 86_400_000;
/** How far the slider reaches back if the age of the record is not known. */
const RANGE_MS = 90 * DAY_MS;
/** A slider needs a length, also if the clocks differ. */
const SHORTEST_MS = 1000;
const STEPS = 500;

/** Chooses the moment whose access is shown: with a slider since the creation, or exactly. */
export function TimeTravel({ createdAt }: { createdAt: string | undefined }) {
  const [{ at }, setState] = useUrlState();
  const [now] = useState(Date.now);
  const created = createdAt === undefined ? Number.NaN : Date.parse(createdAt);
  const earliest = Number.isNaN(created) ? now - RANGE_MS : Math.min(created, now - SHORTEST_MS);
  const moment = at === undefined ? now : Date.parse(at);
  // An address may contain any text, for which the API returns an error.
  const known = Number.isNaN(moment) ? now : moment;
  const [value, setValue] = useState(known);
  useEffect(() => setValue(known), [known]);
  const choose = (next: number) => setState({ at: next >= now ? undefined : new Date(next).toISOString() });
  return (
    <div className={classes['moment']}>
      <TextInput
        type="datetime-local"
        label="Moment"
        value={localInputValue(value)}
        max={localInputValue(now)}
        onChange={({ currentTarget }) => {
          const next = Date.parse(currentTarget.value);
          if (!Number.isNaN(next)) choose(next);
        }}
      />
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
      <Text size="sm" role="status">
        {at === undefined ? 'Now' : new Date(moment).toLocaleString()}
      </Text>
      {at !== undefined && (
        <Button variant="default" onClick={() => setState({ at: undefined })}>
          Back to now
        </Button>
      )}
    </div>
  );
}
