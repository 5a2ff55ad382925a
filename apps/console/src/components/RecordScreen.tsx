import { GatehouseError } from '@gatehouse/client';
import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import { useRecord, type RecordSource, type Versioned } from '../data/useRecord.js';
import { Opening } from '../shell/Opening.js';
import { ErrorNotice } from './ErrorNotice.js';
import { PageHeader } from './PageHeader.js';
import { TabBar, type Tab } from './TabBar.js';

interface Props<T> {
  source: RecordSource<T>;
  /** The name of one record, in lower case. */
  noun: string;
  /** The list above it. */
  parent: { title: string; to: string };
  titleOf(record: T): string;
  badges?(record: T): ReactNode;
  actions?(record: T): ReactNode;
  tabs(current: Versioned<T>): readonly Tab[];
}

/** The API does not reveal which of them it is. */
const MISSING =
  'It may be deleted, belong to another project, or not be shared with you. ' +
  'The menu at the top of the sidebar changes the project.';
const isMissing = (error: unknown) => error instanceof GatehouseError && error.code === 'NOT_FOUND';

/** A screen with one record in tabs. */
export function RecordScreen<T>({ source, noun, parent, titleOf, badges, actions, tabs }: Props<T>) {
  const { data, error, refetch } = useRecord(source);
  const path = [parent];
  if (error !== null && data === undefined)
    return (
      <>
        <PageHeader title={`This ${noun} cannot be opened`} path={path} />
        <Box p="lg">
          <ErrorNotice
            error={error}
            title="It could not be read"
            hint={isMissing(error) ? MISSING : undefined}
            onRetry={() => void refetch()}
          />
        </Box>
      </>
    );
  if (data === undefined) return <Opening />;
  const { record } = data;
  return (
    <>
      <PageHeader title={titleOf(record)} path={path} badges={badges?.(record)} actions={actions?.(record)} />
      <TabBar label={`Parts of the ${noun}`} tabs={tabs(data)} />
    </>
  );
}
