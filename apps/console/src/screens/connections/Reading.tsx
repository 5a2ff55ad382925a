import type { Connection } from '@gatehouse/contract';
import { Progress, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { RelativeTime } from '../../components/RelativeTime.js';
import { rowsOf } from '../../logic/catalogRows.js';
import { describeDuration, progressByLast } from '../../logic/remainingTime.js';

const SECOND_MS = 1000;
/** How often the progress is drawn. */
const REFRESH_MS = 250;

/** When the catalog was last read, what was found, and how long that took as far as it is known. */
export function LastReading({
  connection: { catalog, catalogReadAt, catalogReadDurationMs: lastMs },
}: {
  connection: Connection;
}) {
  if (catalogReadAt === null)
    return (
      <Text size="sm" c="dimmed">
        It was not read yet.
      </Text>
    );
  const count = rowsOf(catalog).length;
  return (
    <Text size="sm" c="dimmed">
      Last read <RelativeTime at={catalogReadAt} />: {count.toLocaleString('en')}{' '}
      {count === 1 ? 'table' : 'tables'}
      {lastMs !== undefined && ` in ${describeDuration(Math.floor(lastMs / SECOND_MS))}`}.
    </Text>
  );
}

/** How far a reading is by the duration of the last one. A large database takes minutes. */
export function ReadingProgress({ formerMs }: { formerMs: number | undefined }) {
  // Not that of this reading, which the connection has once it is there.
  const [lastMs] = useState(formerMs);
  const [startedAt] = useState(Date.now);
  const [elapsedMs, setElapsedMs] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setElapsedMs(Date.now() - startedAt), REFRESH_MS);
    return () => clearInterval(timer);
  }, [startedAt]);
  const progress = progressByLast(elapsedMs, lastMs);
  const label = 'Progress of the reading';
  return (
    <Stack gap="xs">
      {progress === null ? (
        <Progress.Root>
          <Progress.Section value={100} animated withAria={false} role="progressbar" aria-label={label} />
        </Progress.Root>
      ) : (
        <Progress value={progress.percent} aria-label={label} transitionDuration={0} />
      )}
      <Text size="sm" role="status">
        Reading for {Math.floor(elapsedMs / SECOND_MS)} s
        {progress !== null &&
          progress.remaining !== null &&
          `, ${describeDuration(progress.remaining)} left by the last reading`}
        {progress === null && lastMs !== undefined && ', longer than the last time'}. It continues if you
        close this dialog.
      </Text>
    </Stack>
  );
}
