import type { MigrationAnalysis } from '@gatehouse/contract';

/** The kinds of records that a migration maps, with the field of the request that takes the mapping. */
export const MAPPED = [
  { kind: 'connections', field: 'connectionMapping', noun: 'Connection' },
  { kind: 'domains', field: 'domainMapping', noun: 'Semantic domain' },
  { kind: 'datamodels', field: 'datamodelMapping', noun: 'Data model' },
  { kind: 'visuals', field: 'visualMapping', noun: 'Visual' },
] as const;
export type MappedKind = (typeof MAPPED)[number]['kind'];

/** The value of a choice: an id of the target project, or one of these, which no id can be. */
export const COPY = ' copy';
export const UNLINK = ' unlink';

/** The choice for each record by the kind and the id, as `choiceKey` writes them. Empty is not chosen. */
export type Choices = Readonly<Record<string, string>>;

/** The name of the choice for a record. */
export function choiceKey(kind: MappedKind, sourceId: string): string {
  return `${kind} ${sourceId}`;
}

/** The suggestions of the analysis. A record without one is empty, and the user must choose. */
export function suggestedChoices(analysis: MigrationAnalysis): Choices {
  const entries = MAPPED.flatMap(({ kind, field }) => {
    const mapping = analysis.suggestedRequest[field];
    return analysis[kind].map(({ sourceId }) => [choiceKey(kind, sourceId), suggestion(mapping, sourceId)]);
  });
  return Object.fromEntries(entries) as Choices;
}

function suggestion(mapping: unknown, sourceId: string): string {
  if (typeof mapping !== 'object' || mapping === null || !Object.hasOwn(mapping, sourceId)) return '';
  const value = (mapping as Record<string, unknown>)[sourceId];
  if (value === null) return COPY;
  if (value === 'unlink') return UNLINK;
  return typeof value === 'string' ? value : '';
}

/** The mappings of a request. They omit what is not chosen; the API then reports that it is missing. */
export function toMappings(
  analysis: MigrationAnalysis,
  choices: Choices,
): { connectionMapping: Record<string, string> } & Record<string, Record<string, string | null>> {
  const mappings = MAPPED.map(({ kind, field }) => {
    const chosen = analysis[kind].flatMap(({ sourceId }) => {
      const value = (choices[choiceKey(kind, sourceId)] ?? '').trimEnd();
      return value === '' ? [] : [[sourceId, toTarget(value)] as const];
    });
    return [field, Object.fromEntries(chosen)];
  });
  return Object.fromEntries(mappings) as ReturnType<typeof toMappings>;
}

function toTarget(value: string): string | null {
  if (value === COPY) return null;
  return value === UNLINK ? 'unlink' : value;
}
