import type { JsonObject } from '@gatehouse/contract';
import type { DemoCard } from './shape.js';

/** The ids of what cards refer to: a connection, and domains and data models by name. */
export interface SourceIds {
  connectionId: string;
  domainIds: ReadonlyMap<string, string>;
  dataModelIds: ReadonlyMap<string, string>;
}

function toDataSource({ source, table }: DemoCard, ids: SourceIds): JsonObject {
  if ('schema' in source) {
    const { connectionId } = ids;
    return {
      connectionId,
      mode: 'database',
      selectedEntities: [{ schema: source.schema, table }],
      joins: [],
    };
  }
  const rest = { selectedEntities: [{ table }], joins: [] };
  if ('domain' in source) {
    return { domainId: ids.domainIds.get(source.domain) ?? null, mode: 'domain', ...rest };
  }
  return { datamodelId: ids.dataModelIds.get(source.dataModel) ?? null, mode: 'datamodel', ...rest };
}

function toCard(card: DemoCard, position: number, ids: SourceIds): JsonObject {
  const { title, type, table, metric, groupBy, filter } = card;
  return {
    id: `card-${position + 1}`,
    title,
    type,
    dataSource: toDataSource(card, ids),
    fields: {
      columns: [{ entity: table, column: groupBy }],
      metrics: [{ entity: table, column: metric, aggregation: 'sum' }],
      groupBy: [{ entity: table, column: groupBy }],
      sort: [{ entity: table, column: groupBy, direction: 'asc' }],
      pivot: [],
    },
    filters: filter === undefined ? [] : [{ entity: table, column: filter }],
  };
}

/**
 * A dashboard's template: one sheet with a frame for its own cards, and one for each saved visual that it
 * links.
 */
export function toTemplate(cards: readonly DemoCard[], visualIds: string[], ids: SourceIds): JsonObject {
  const ownCards = cards.map((card, position) => toCard(card, position, ids));
  const own = ownCards.length === 0 ? [] : [{ id: 'frame-own', cards: ownCards }];
  const linked = visualIds.map((visualId, position) => ({
    id: `frame-linked-${position + 1}`,
    visualId,
    cards: [],
  }));
  return { sheets: [{ id: 'sheet-1', title: 'Overview', frames: [...own, ...linked] }], filters: [] };
}

/** The frame of a saved visual. */
export function toFrame(card: DemoCard, ids: SourceIds): JsonObject {
  return { id: 'frame-1', cards: [toCard(card, 0, ids)] };
}
