import { Skeleton, Stack } from '@mantine/core';

/** What is shown while the code of a screen is loaded. */
export function Opening() {
  return (
    <Stack p="xl" gap="md" aria-busy="true" aria-label="Loading">
      <Skeleton height={28} width={220} />
      <Skeleton height={14} />
      <Skeleton height={14} />
      <Skeleton height={14} width="60%" />
    </Stack>
  );
}
