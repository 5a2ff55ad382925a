import { SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { ListToolbar } from '../../components/ListToolbar.js';
import { useUrlState } from '../../data/urlState.js';
import type { AccessGraph, GraphNode } from '../../logic/accessGraph.js';
import classes from './Access.module.css';
import { LazyDrawing } from './LazyDrawing.js';
import { RECORDS_MAX } from './reach.js';

interface Props {
  label: string;
  /** Null while it is calculated. */
  graph: AccessGraph | null;
  error: unknown;
  onOpen(point: GraphNode): void;
  /** How many records there are; null while they are read. */
  count: number | null;
  isCut: boolean;
  /** What the drawing lacks; null if nothing. */
  drawingLimit?: string | null;
  searchLabel: string;
  onRetry(): void;
  list: ReactNode;
}

/** A drawing, or the list of the same. On a phone the list comes first. */
export function GraphOrList(props: Props) {
  const { label, graph, error, onOpen, count, isCut, searchLabel, onRetry, list, drawingLimit } = props;
  const [{ view }, setState] = useUrlState();
  const isPhone = useMediaQuery('(max-width: 48em)') ?? false;
  const isList = (view ?? (isPhone ? 'list' : 'graph')) === 'list';
  return (
    <>
      <ListToolbar
        {...(isList ? { searchLabel } : {})}
        count={count === null ? null : `${count.toLocaleString('en')}${isCut ? ' or more' : ''} found`}
      >
        <SegmentedControl
          size="xs"
          aria-label="Form"
          value={isList ? 'list' : 'graph'}
          onChange={(value) => setState({ view: value })}
          data={[
            { value: 'graph', label: 'Graph' },
            { value: 'list', label: 'List' },
          ]}
        />
      </ListToolbar>
      {isCut && (
        <Text size="sm" className={classes['note']}>
          The first {RECORDS_MAX.toLocaleString('en')} are shown. For another one, choose it above.
        </Text>
      )}
      {error !== null && (
        <div className={classes['note']}>
          <ErrorNotice error={error} title="The access could not be read" onRetry={onRetry} />
        </div>
      )}
      {error === null && !isList && graph?.isBundled && (
        <Text size="sm" className={classes['note']}>
          These are too many to draw each of them, so they are drawn by the path that leads to them. The list
          has all of them.
        </Text>
      )}
      {error === null && !isList && drawingLimit && (
        <Text size="sm" className={classes['note']}>
          {drawingLimit}
        </Text>
      )}
      {error === null && isList && list}
      {error === null && !isList && (
        <div className={classes['graph']}>
          {graph === null ? (
            <Skeleton height="100%" />
          ) : (
            <LazyDrawing graph={graph} label={label} onOpen={onOpen} />
          )}
        </div>
      )}
    </>
  );
}
