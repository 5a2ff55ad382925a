import type { ValidationResult, ValidationSummary } from '@gatehouse/contract';
import type { CardFindings } from './card.js';

function countInvalid(outcomes: readonly { isValid: boolean }[]): number {
  return outcomes.filter(({ isValid }) => !isValid).length;
}

/** Counts what was checked. What is not invalid is valid, so that each total is the sum of the two. */
export function summarize(
  { cards, fields, filters, joins }: CardFindings,
  { connections, datasets, datamodels }: ValidationResult['resourceResults'],
): ValidationSummary {
  const invalid = {
    cards: countInvalid(cards),
    filters: countInvalid(filters),
    joins: countInvalid(joins),
    connections: countInvalid(connections),
    datasets: countInvalid(datasets),
    datamodels: countInvalid(datamodels),
  };
  return {
    totalCards: cards.length,
    validCards: cards.length - invalid.cards,
    invalidCards: invalid.cards,
    totalFields: fields.total,
    validFields: fields.total - fields.invalid,
    invalidFields: fields.invalid,
    totalFilters: filters.length,
    validFilters: filters.length - invalid.filters,
    invalidFilters: invalid.filters,
    totalJoins: joins.length,
    validJoins: joins.length - invalid.joins,
    invalidJoins: invalid.joins,
    totalConnections: connections.length,
    validConnections: connections.length - invalid.connections,
    invalidConnections: invalid.connections,
    totalDatasets: datasets.length,
    validDatasets: datasets.length - invalid.datasets,
    invalidDatasets: invalid.datasets,
    totalDatamodels: datamodels.length,
    validDatamodels: datamodels.length - invalid.datamodels,
    invalidDatamodels: invalid.datamodels,
  };
}
