import { SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { ErrorNotice } from '../../components/ErrorNotice.js';
import { ListToolbar } from '../../components/ListToolbar.js';
import { usePreload } from '../../components/onDemand.js';
import { useUrlState } from '../../data/urlState.js';
import type { AccessGraph, GraphNode } from '../../logic/accessGraph.js';
import classes from './Access.module.css';
import { LazyDrawing } from './LazyDrawing.js';
import { RECORDS_MAX, type Search } from './reach.js';
import { isUnknownThen, UnknownMoment } from './UnknownMoment.js';

interface Props {
  label: string;
  /** Null while it is calculated. */
  graph: AccessGraph | null;
  search: Pick<Search<unknown>, 'found' | 'isReading' | 'error' | 'retry'>;
  /** Why only the drawing failed; null if it did not. */
  drawingError?: unknown;
  onRedraw?(): void;
  onOpen(point: GraphNode): void;
  /** What the drawing lacks; null if nothing. */
  drawingLimit?: string | null;
  searchLabel: string;
  /** Beside the search of the list. */
  listActions: ReactNode;
  list: ReactNode;
}

/** Whether the list is chosen; on a phone it comes first. */
export function useIsList(): boolean {
  const [{ view }] = useUrlState();
  const isPhone = useMediaQuery('(max-width: 48em)') ?? false;
  return (view ?? (isPhone ? 'list' : 'graph')) === 'list';
}

/** How much was found. */
function countOf({ found: { items, end }, isReading }: Props['search']): string | null {
  if (items.length === 0 && isReading) return null;
  const rest = { complete: '', limit: ' or more' };
  const count = `${items.length.toLocaleString('en')}${end === null ? '' : rest[end]}`;
  return `${count} found${isReading ? ' so far' : ''}`;
}

/** A drawing, or the list of the same. */
export function GraphOrList(props: Props) {
  const { search, searchLabel, listActions, list } = props;
  const { found, isReading, error } = search;
  const [{ at }, setState] = useUrlState();
  const isList = useIsList();
  if (isUnknownThen(error, at)) return <UnknownMoment />;
  return (
    <>
      <ListToolbar
        {...(isList ? { searchLabel, actions: listActions } : {})}
        count={countOf(search)}
        isCounting={isReading}
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
      {found.end === 'limit' && (
        <Note>The first {RECORDS_MAX.toLocaleString('en')} are shown. For another one, choose it above.</Note>
      )}
      {error !== null && (
        <Note>
          <ErrorNotice
            error={error}
            title={found.items.length === 0 ? 'The access could not be read' : 'The list is incomplete'}
            onRetry={() => void search.retry()}
          />
        </Note>
      )}
      {isList ? (error === null || found.items.length > 0) && list : error === null && <Graph {...props} />}
    </>
  );
}

function Graph({ label, graph, drawingError = null, onRedraw, onOpen, drawingLimit }: Props) {
  usePreload(LazyDrawing);
  return (
    <>
      {graph?.isBundled && (
        <Note>
          These are too many to draw each of them, so they are drawn by the path that leads to them. The list
          has all of them.
        </Note>
      )}
      {drawingLimit && <Note>{drawingLimit}</Note>}
      {drawingError !== null && (
        <Note>
          <ErrorNotice
            error={drawingError}
            title="The paths could not be read"
            {...(onRedraw ? { onRetry: onRedraw } : {})}
          />
        </Note>
      )}
      {drawingError === null && (
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

function Note({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" component="div" className={classes['note']}>
      {children}
    </Text>
  );
}
