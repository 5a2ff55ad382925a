import { Box } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { ErrorNotice } from '../components/ErrorNotice.js';
import { MissingCodeError } from './loadCode.js';

/** A screen that failed. */
export function ScreenError({ error, reset }: ErrorComponentProps) {
  // A failed import is not repeated.
  const retry = error instanceof MissingCodeError ? () => location.reload() : reset;
  return (
    <Box p="xl">
      <ErrorNotice error={error} title="This page failed" onRetry={retry} />
    </Box>
  );
}
