import type { Dataset, FieldError, ModelTemplate } from '@gatehouse/contract';

export const EMPTY_TEMPLATE: ModelTemplate = { datasets: [], relationships: [], calculatedFields: [] };

/** Whose template it is: a data model has one connection for all of its datasets. */
export type TemplateOwner = 'domain' | 'datamodel';

/** The connections that the datasets of a template name, each once. */
export function connectionIdsIn({ datasets }: ModelTemplate): string[] {
  return [...new Set(datasets.flatMap(({ connectionId }) => connectionId ?? []))];
}

/**
 * What is wrong with a template in itself: names given twice, and names of datasets that are not there. Fields are relative
 * to the template.
 */
export function findTemplateFaults(template: ModelTemplate, owner: TemplateOwner): FieldError[] {
  const { datasets, relationships, calculatedFields } = template;
  const names = new Set(datasets.map(({ name }) => name));
  const unknown = (field: string, name: string) =>
    names.has(name) ? [] : [{ field, message: 'names no dataset of the template' }];
  return [
    ...findRepeated(datasets.map(({ name }) => name)).map((index) => repeated(`datasets[${index}].name`)),
    ...(owner === 'datamodel' ? findOwnConnections(datasets) : []),
    ...relationships.flatMap(({ source, target }, index) => [
      ...unknown(`relationships[${index}].source`, source),
      ...unknown(`relationships[${index}].target`, target),
    ]),
    ...calculatedFields.flatMap(({ dataset }, index) =>
      unknown(`calculatedFields[${index}].dataset`, dataset),
    ),
    ...findRepeated(calculatedFields.map(({ dataset, name }) => JSON.stringify([dataset, name]))).map(
      (index) => repeated(`calculatedFields[${index}].name`),
    ),
  ];
}

/** The datasets that name a connection which is none of those given. Fields are relative to the template. */
export function findUnknownConnections(
  { datasets }: ModelTemplate,
  knownIds: ReadonlySet<string>,
): FieldError[] {
  return datasets.flatMap(({ connectionId }, index) =>
    connectionId === undefined || knownIds.has(connectionId)
      ? []
      : [{ field: `datasets[${index}].connectionId`, message: 'names no connection of the project' }],
  );
}

function findOwnConnections(datasets: readonly Dataset[]): FieldError[] {
  const message = 'does not go with a data model, which has one connection for all datasets';
  return datasets.flatMap(({ connectionId }, index) =>
    connectionId === undefined ? [] : [{ field: `datasets[${index}].connectionId`, message }],
  );
}

const repeated = (field: string): FieldError => ({ field, message: 'is there twice' });

/** The indexes of the texts that an earlier one equals. */
export function findRepeated(texts: readonly string[]): number[] {
  const seen = new Set<string>();
  return texts.flatMap((text, index) => {
    if (seen.has(text)) return [index];
    seen.add(text);
    return [];
  });
}
