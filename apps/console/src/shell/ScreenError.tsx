import { Box } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorNotice } from '../components/ErrorNotice.js';

/** A screen that failed. */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  return (
    <Box p="xl">
      <ErrorNotice error={error} title="This page failed" onRetry={reset} />
    </Box>
  );
}
