import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../components/EmptyState.js';
import { PageHeader } from '../components/PageHeader.js';

/** An address without a screen. */
export function NotFound() {
  return (
    <>
      <PageHeader title="Page not found" />
      <EmptyState
        icon="search"
        title="This address has no page"
        action={
          <Button component={Link} to="/" variant="default">
            Go to the start
          </Button>
        }
      >
        The link may be outdated. Search with Ctrl+K, or choose a page of the sidebar.
      </EmptyState>
    </>
  );
}
