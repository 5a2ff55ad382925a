import type { JsonObject } from '@gatehouse/contract';
import type { DemoCard } from './shape.js';

const CONNECTION_ID = 'c_warehouse';

function toCard({ title, type, schema, table, metric, groupBy }: DemoCard, position: number): JsonObject {
  return {
    id: `card-${position + 1}`,
    title,
    type,
    dataSource: {
      connectionId: CONNECTION_ID,
      mode: 'database',
      selectedEntities: [{ schema, table }],
      joins: [],
    },
    fields: {
      columns: [{ entity: table, column: groupBy }],
      metrics: [{ entity: table, column: metric, aggregation: 'sum' }],
      groupBy: [{ entity: table, column: groupBy }],
      sort: [{ entity: table, column: groupBy, direction: 'asc' }],
      pivot: [],
    },
    filters: [],
  };
}

/**
 * A dashboard's template: one sheet with a frame for its own cards, and one for each saved visual that it
 * links.
 */
export function toTemplate(cards: DemoCard[], visualIds: string[]): JsonObject {
  const own = cards.length === 0 ? [] : [{ id: 'frame-own', cards: cards.map(toCard) }];
  const linked = visualIds.map((visualId, position) => ({
    id: `frame-linked-${position + 1}`,
    visualId,
    cards: [],
  }));
  return { sheets: [{ id: 'sheet-1', title: 'Overview', frames: [...own, ...linked] }], filters: [] };
}

/** The frame of a saved visual. */
export function toFrame(card: DemoCard): JsonObject {
  return { id: 'frame-1', cards: [toCard(card, 0)] };
}
