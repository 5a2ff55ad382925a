import type { SentCommand } from '@gatehouse/testing';

type Document = Record<string, unknown>;

/** One query, write or insertion of a command. */
export interface Statement {
  /** The name of the command. */
  command: string;
  collection: string;
  /** The condition on documents; absent for an insertion. */
  filter?: Document;
  /** True if the statement changes at most one document, by the choice of the server. */
  isSingle?: boolean;
  /** An update with operators, a pipeline, or a replacement. */
  update?: Document | Document[];
  /** The inserted document. */
  inserted?: Document;
}

const listOf = (value: unknown) => (value ?? []) as Document[];

/** The driver sends the key of an index as a map, so that its fields keep their order. */
const fieldsOfIndex = (key: unknown): string[] =>
  key instanceof Map ? [...(key as Map<string, unknown>).keys()] : Object.keys(Object(key));

/** The keys of the unique indexes that a command creates. */
export function uniqueKeysOf({ name, command }: SentCommand): { collection: string; fields: string[] }[] {
  if (name !== 'createIndexes') return [];
  const unique = listOf(command['indexes']).filter((index) => index['unique'] === true);
  return unique.map(({ key }) => ({ collection: String(command[name]), fields: fieldsOfIndex(key) }));
}

/** Commands that name no documents, or continue a query. */
const WITHOUT_DOCUMENTS: ReadonlySet<string> = new Set([
  'createIndexes',
  'endSessions',
  'getMore',
  'hello',
  'killCursors',
  'listCollections',
  'listIndexes',
  'ping',
]);

/** The queries of an aggregation: its first stage, and those of the collections that it joins. */
function queriesOf(collection: string, pipeline: readonly Document[]): Statement[] {
  const own = { command: 'aggregate', collection, filter: (pipeline[0]?.['$match'] ?? {}) as Document };
  const joined = pipeline.flatMap(({ $lookup, $unionWith, $graphLookup }) => {
    if ($unionWith !== undefined || $graphLookup !== undefined) throw new Error('an unknown kind of join');
    if ($lookup === undefined) return [];
    const { from, pipeline: inner } = $lookup as Document;
    return queriesOf(String(from), listOf(inner));
  });
  return [own, ...joined];
}

/** The updates of a bulk write as commands of their databases; any other command as it is. */
export function commandsIn(sent: SentCommand): SentCommand[] {
  if (sent.name !== 'bulkWrite') return [sent];
  const namespaces = listOf(sent.command['nsInfo']).map(({ ns }) => String(ns));
  return listOf(sent.command['ops']).map(({ update, filter: q, updateMods: u, multi }) => {
    const [database = '', collection = ''] = (namespaces[Number(update)] ?? '').split('.');
    const command = { update: collection, updates: [{ q, u, multi }] };
    return { ...sent, database, name: 'update', command };
  });
}

/** The statements of a command. Throws an error for a command that this suite does not know. */
export function statementsOf({ name: command, command: sent }: SentCommand): Statement[] {
  const collection = String(sent[command]);
  const base = { command, collection };
  if (command === 'find') return [{ ...base, filter: (sent['filter'] ?? {}) as Document }];
  if (command === 'count' || command === 'distinct')
    return [{ ...base, filter: (sent['query'] ?? {}) as Document }];
  if (command === 'aggregate') return queriesOf(collection, listOf(sent['pipeline']));
  if (command === 'findAndModify') {
    const { query, update } = sent as { query?: Document; update?: Document };
    return [{ ...base, filter: query ?? {}, isSingle: true, ...(update && { update }) }];
  }
  if (command === 'update') {
    return listOf(sent['updates']).map(({ q, u, multi }) => {
      return { ...base, filter: q as Document, isSingle: multi !== true, update: u as Document };
    });
  }
  if (command === 'delete') {
    return listOf(sent['deletes']).map(({ q, limit }) => {
      return { ...base, filter: q as Document, isSingle: limit === 1 };
    });
  }
  if (command === 'insert') return listOf(sent['documents']).map((inserted) => ({ ...base, inserted }));
  if (WITHOUT_DOCUMENTS.has(command)) return [];
  throw new Error(`this suite does not know the command ${command}`);
}

const OPERATORS_OF_CONDITIONS = ['$and', '$or', '$nor'];

const isRange = (value: unknown) => value !== null && typeof value === 'object' && '$gt' in value;

/** The fields that a condition names, in order, each once. A condition on later ids is `after _id`. */
export function fieldsOf(condition: Document): string[] {
  const fields = Object.entries(condition).flatMap(([name, value]) =>
    OPERATORS_OF_CONDITIONS.includes(name)
      ? listOf(value).flatMap(fieldsOf)
      : [name === '_id' && isRange(value) ? 'after _id' : name],
  );
  return [...new Set(fields)].toSorted();
}

const isValue = (value: unknown) => typeof value === 'string';

/** True if every document that meets the condition has one of a few known texts in the field. */
export function fixes(condition: Document, field: string): boolean {
  const value = condition[field];
  if (isValue(value)) return true;
  if (typeof value === 'object' && value !== null) {
    const { $eq, $in } = value as Document;
    if (isValue($eq) || (Array.isArray($in) && $in.every(isValue))) return true;
  }
  if (listOf(condition['$and']).some((part) => fixes(part, field))) return true;
  const alternatives = listOf(condition['$or']);
  return alternatives.length > 0 && alternatives.every((part) => fixes(part, field));
}

/** True if the updated document may have another value in the field, or none. */
export function changesField(update: Document | Document[], field: string): boolean {
  if (Array.isArray(update)) {
    return update.some((stage) => {
      const { $replaceWith, $set = {}, $unset = [] } = stage as Record<string, Document | string>;
      const isLost = $replaceWith !== undefined && (Object($replaceWith) as Document)[field] !== `$${field}`;
      return isLost || field in Object($set) || [$unset].flat().includes(field);
    });
  }
  const operators = Object.keys(update).filter((name) => name.startsWith('$'));
  if (operators.length === 0) return !(field in update);
  return operators.some((operator) => field in Object(update[operator]));
}
