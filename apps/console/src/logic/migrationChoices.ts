import type { MigrationAnalysis } from '@gatehouse/contract';

/** The kinds of records that a migration maps, with the field of the request that takes the mapping. */
export const MAPPED = [
  { kind: 'connections', field: 'connectionMapping', noun: 'Connection' },
  { kind: 'domains', field: 'domainMapping', noun: 'Semantic domain' },
  { kind: 'datamodels', field: 'datamodelMapping', noun: 'Data model' },
  { kind: 'visuals', field: 'visualMapping', noun: 'Visual' },
] as const;
export type MappedKind = (typeof MAPPED)[number]['kind'];

/** The value of a control: an id of the target project, or one of these. */
export const COPY = ' copy';
export const UNLINK = ' unlink';

/** One record that needs a mapping. */
export interface Choice {
  kind: MappedKind;
  sourceId: string;
  value: string;
}

/**
 * The suggestions of the analysis for the records. A record without a suggestion is empty, and the user must
 * choose.
 */
export function suggestedValue(analysis: MigrationAnalysis, kind: MappedKind, sourceId: string): string {
  const field = MAPPED.find((mapped) => mapped.kind === kind)?.field ?? '';
  const mapping = analysis.suggestedRequest[field];
  if (typeof mapping !== 'object' || mapping === null || !(sourceId in mapping)) return '';
  const value = (mapping as Record<string, unknown>)[sourceId];
  if (value === null) return COPY;
  if (value === 'unlink') return UNLINK;
  return typeof value === 'string' ? value : '';
}

/**
 * The body of the migration request. It omits what is not chosen, and the API then reports that it is
 * missing.
 */
export function toMigrationRequest(
  targetProjectId: string,
  choices: readonly Choice[],
): { targetProjectId: string } & Record<string, unknown> {
  const mappings = MAPPED.map(({ kind, field }) => {
    const chosen = choices.filter((choice) => choice.kind === kind && choice.value !== '');
    return [field, Object.fromEntries(chosen.map(({ sourceId, value }) => [sourceId, toTarget(value)]))];
  });
  return { targetProjectId, ...Object.fromEntries(mappings) };
}

function toTarget(value: string): string | null {
  if (value === COPY) return null;
  return value === UNLINK ? 'unlink' : value;
}
