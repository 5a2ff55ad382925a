import type { Field, FormValues } from '../../components/fields.js';
import type { Kind, Resource } from './kind.js';

const COMMIT: Field = {
  name: 'commitMessage',
  label: 'Commit message',
  description: 'Commits this version if the project is under version control. Some projects require one.',
  kind: 'text',
  maxLength: 5000,
};

/** The fields of a dashboard or visual that describe it. */
export function describingFields({ kind }: Kind): Field[] {
  return [
    { name: 'title', label: 'Title', kind: 'text', isRequired: true, maxLength: 200 },
    { name: 'description', label: 'Description', kind: 'textarea', maxLength: 5000 },
    { name: 'tags', label: 'Tags', kind: 'tags', placeholder: 'Add a tag and press Enter' },
    {
      name: 'isPrivate',
      label: 'Private',
      description:
        'Only the owner and shares give access. If this is off, every user of the organization or tenant ' +
        'of the owner may view it.',
      kind: 'switch',
    },
    ...(kind === 'dashboard'
      ? [
          {
            name: 'isDataApp',
            label: 'Data app',
            description: 'Marks a dashboard that is embedded as an application.',
            kind: 'switch' as const,
          },
          COMMIT,
        ]
      : []),
  ];
}

/** The content of a dashboard or visual. */
export function contentFields({ kind, content }: Kind): Field[] {
  const field: Field = {
    name: content,
    label: kind === 'dashboard' ? 'Template' : 'Frame object',
    description: 'JSON of at most 1 MiB. An empty text removes it.',
    kind: 'json',
  };
  return kind === 'dashboard' ? [field, COMMIT] : [field];
}

/** The values of the describing fields of a record. */
export function describingValues(record: Resource): FormValues {
  const { title, description, tags, isPrivate } = record;
  const shared = { title, description, tags, isPrivate };
  return 'isDataApp' in record ? { ...shared, isDataApp: record.isDataApp, commitMessage: '' } : shared;
}

/** The values of the content of a record. */
export function contentValues(record: Resource): FormValues {
  return 'template' in record
    ? { template: record.template, commitMessage: '' }
    : { frameObject: record.frameObject };
}
