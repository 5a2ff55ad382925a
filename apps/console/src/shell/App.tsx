import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { createQueries } from '../data/queries.js';
import { theme } from './theme.js';

/**
 * Provides what every screen needs. The style elements that Mantine would insert are static files instead:
 * the content security policy rejects them.
 */
export function App({ children }: { children: ReactNode }) {
  const [queries] = useState(createQueries);
  return (
    <MantineProvider
      theme={theme}
      defaultColorScheme="auto"
      withCssVariables={false}
      withGlobalClasses={false}
      withStaticClasses={false}
    >
      <QueryClientProvider client={queries}>{children}</QueryClientProvider>
    </MantineProvider>
  );
}
