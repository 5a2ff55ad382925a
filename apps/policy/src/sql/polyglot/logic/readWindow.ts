import { Fields, refuseNode } from './parsedNode.js';
import type { Expression, Frame, FrameBound, Name, Order, Window } from './tree.js';

/** Reads the parts of a window. */
export interface PartReader {
  read: (value: unknown) => Expression;
  readName: (value: unknown) => Name;
}

export function readOrder(value: unknown, reader: PartReader): Order {
  const fields = new Fields('order', value);
  const expression = reader.read(fields.take('this'));
  const isDescending = fields.takeFlag('desc');
  const first = fields.take('nulls_first');
  fields.end();
  const nulls = first === undefined ? null : first === true ? 'FIRST' : 'LAST';
  return { expression, isDescending, nulls };
}

export function readWindow(value: unknown, reader: PartReader): Window {
  const fields = new Fields('window', value);
  const window: Window = {
    base: fields.takeOptional('window_name', reader.readName),
    partitionBy: fields.takeList('partition_by').map(reader.read),
    orderBy: fields.takeList('order_by').map((order) => readOrder(order, reader)),
    frame: fields.takeOptional('frame', (frame) => readFrame(frame, reader)),
  };
  fields.end();
  return window;
}

function readFrame(value: unknown, reader: PartReader): Frame {
  const fields = new Fields('frame', value);
  const unit = fields.takeText('kind').toUpperCase();
  if (unit !== 'ROWS' && unit !== 'RANGE' && unit !== 'GROUPS') return refuseNode('frame');
  const start = readBound(fields.take('start'), reader);
  const end = fields.takeOptional('end', (bound) => readBound(bound, reader));
  fields.end();
  return { unit, start, end };
}

function readBound(value: unknown, reader: PartReader): FrameBound {
  if (value === 'CurrentRow') return { side: 'CURRENT ROW', distance: null };
  if (value === 'UnboundedPreceding') return { side: 'UNBOUNDED PRECEDING', distance: null };
  if (value === 'UnboundedFollowing') return { side: 'UNBOUNDED FOLLOWING', distance: null };
  const fields = new Fields('bound', value);
  const preceding = fields.takeOptional('Preceding', reader.read);
  const following = fields.takeOptional('Following', reader.read);
  fields.end();
  if (preceding !== null) return { side: 'PRECEDING', distance: preceding };
  return following === null ? refuseNode('bound') : { side: 'FOLLOWING', distance: following };
}
