import { withName, type Dataset, type FieldError, type ModelTemplate } from '@gatehouse/contract';

export const EMPTY_TEMPLATE: ModelTemplate = { datasets: [], relationships: [], calculatedFields: [] };

/** The kind of record that has the template: a data model has one connection for all of its datasets. */
export type TemplateOwner = 'domain' | 'datamodel';

/** The template of a record that was read with it. */
export function parseTemplate({ template }: { template: string }): ModelTemplate {
  return JSON.parse(template) as ModelTemplate;
}

/** The connections that the datasets of a template name, without duplicates. */
export function connectionIdsIn({ datasets }: ModelTemplate): string[] {
  return [...new Set(datasets.flatMap(({ connectionId }) => connectionId ?? []))];
}

/**
 * The faults of a template in itself: duplicate names, and unknown datasets. Fields are relative to the
 * template.
 */
export function findTemplateFaults(template: ModelTemplate, owner: TemplateOwner): FieldError[] {
  const { datasets, relationships, calculatedFields } = template;
  const names = new Set(datasets.map(({ name }) => name));
  const unknown = (field: string, name: string): FieldError[] =>
    names.has(name)
      ? []
      : [{ field, message: withName('names no dataset of the template', name), code: 'reference' }];
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

/** The datasets that name a connection outside `knownIds`. Fields are relative to the template. */
export function findUnknownConnections(
  { datasets }: ModelTemplate,
  knownIds: ReadonlySet<string>,
): FieldError[] {
  return datasets.flatMap(({ connectionId }, index) =>
    connectionId === undefined || knownIds.has(connectionId)
      ? []
      : [
          {
            field: `datasets[${index}].connectionId`,
            message: withName('names no connection of the project', connectionId),
            code: 'reference',
          },
        ],
  );
}

function findOwnConnections(datasets: readonly Dataset[]): FieldError[] {
  const message = 'does not go with a data model, which has one connection for all datasets';
  return datasets.flatMap(({ connectionId }, index) =>
    connectionId === undefined
      ? []
      : [{ field: `datasets[${index}].connectionId`, message, code: 'conflict' }],
  );
}

const repeated = (field: string): FieldError => ({ field, message: 'is duplicated', code: 'duplicate' });

/** The indexes of the texts that equal an earlier one. */
function findRepeated(texts: readonly string[]): number[] {
  const seen = new Set<string>();
  return texts.flatMap((text, index) => {
    if (seen.has(text)) return [index];
    seen.add(text);
    return [];
  });
}
