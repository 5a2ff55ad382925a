import type { ValidationCode } from '@gatehouse/contract';
import type { Entity } from './schema.js';
import type { TemplateNode } from './templateNode.js';
import { followColumn } from './renames.js';
import type { ColumnOutcome, Report } from './report.js';
import { NameList } from './suggestions.js';

/** A reference to a column. */
interface ColumnUse {
  node: TemplateNode;
  column: string;
  code: ValidationCode;
}

function resolveColumn(
  report: Report,
  { node, column }: ColumnUse,
  entities: readonly Entity[],
): ColumnOutcome {
  let isBroken = false;
  let isUnknown = false;
  let lookups = 0;
  for (const { columns, isBroken: isThisBroken } of entities) {
    lookups += 1;
    if (columns?.hasColumn(column)) {
      report.lookups.spend(lookups, node);
      return 'found';
    }
    if (columns === null && isThisBroken) isBroken = true;
    if (columns === null && !isThisBroken) isUnknown = true;
  }
  report.lookups.spend(lookups, node);
  if (isUnknown) return 'unknown';
  return isBroken ? 'broken' : 'missing';
}

/** Resolves a column once in each list of several entities, because many fields may name the same column. */
function outcomeOf(report: Report, use: ColumnUse, entities: readonly Entity[]): ColumnOutcome {
  if (entities.length <= 1) return resolveColumn(report, use, entities);
  const outcomes = report.columnOutcomes.get(entities) ?? new Map<string, ColumnOutcome>();
  report.columnOutcomes.set(entities, outcomes);
  const outcome = outcomes.get(use.column) ?? resolveColumn(report, use, entities);
  outcomes.set(use.column, outcome);
  return outcome;
}

function columnsOf(entities: readonly Entity[]): NameList {
  const lists = entities.flatMap(({ columns }) => columns?.columns ?? []);
  const [only] = lists;
  return lists.length === 1 && only !== undefined ? only : NameList.joined(lists);
}

function renamesOf(column: string, entities: readonly Entity[]): string[] {
  return entities.flatMap(({ table, connection }) => {
    if (table === null || connection === null) return [];
    return followColumn(table, connection.renames, column) ?? [];
  });
}

/** Resolves a column in some entities and reports it when it is in none. Returns whether it is valid. */
export function checkColumn(report: Report, use: ColumnUse, entities: readonly Entity[]): boolean {
  const { node, column, code } = use;
  const outcome = outcomeOf(report, use, entities);
  if (outcome !== 'missing') return outcome !== 'broken';
  const names = entities.map(({ name }) => name);
  const place = names.length === 0 ? 'any selected entity' : names.slice(0, 5).join(', ');
  report.addMissing({
    code,
    path: node.path,
    message: `There is no column ${column} in ${place}`,
    written: column,
    field: column,
    entity: names.length === 1 ? names[0] : undefined,
    offered: report.shareOffered(entities, () => columnsOf(entities)),
    isColumn: true,
    renamed: () => renamesOf(column, entities),
  });
  return false;
}
