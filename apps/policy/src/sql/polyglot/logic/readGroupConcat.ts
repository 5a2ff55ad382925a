import { openNode, type Fields } from './parsedNode.js';
import { readOrder, type PartReader } from './readWindow.js';
import type { Expression } from './tree.js';

/** Reads the fields of a GROUP_CONCAT. */
export function readGroupConcat(fields: Fields, reader: PartReader): Expression {
  return {
    kind: 'groupConcat',
    isDistinct: fields.takeFlag('distinct'),
    operands: readOperands(fields.take('this'), reader),
    orderBy: fields.takeList('order_by').map((order) => readOrder(order, reader)),
    separator: fields.takeOptional('separator', reader.read),
  };
}

/** The parser reads several operands as a call of CONCAT. A call in the statement has a masked name. */
function readOperands(value: unknown, reader: PartReader): Expression[] {
  const { kind, fields } = openNode(value);
  if (kind !== 'function' || fields.takeText('name') !== 'CONCAT') return [reader.read(value)];
  const operands = fields.takeList('args').map(reader.read);
  fields.end();
  return operands;
}
