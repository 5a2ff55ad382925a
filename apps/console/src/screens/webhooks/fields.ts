import type { Webhook } from '@gatehouse/contract';
import type { Field, FormValues } from '../../components/fields.js';
import { EVENT_NOUNS, EVENT_TYPES } from '../../logic/eventTypes.js';

/** The value of the control for events of all projects: a select has texts only. */
const ALL_PROJECTS = ' all';

/** The fields of a webhook. */
export function webhookFields(projects: readonly { id: string; name: string }[]): Field[] {
  return [
    {
      name: 'url',
      label: 'URL',
      description: 'Receives each event as one signed POST. An https address that the operator allows.',
      kind: 'text',
      isRequired: true,
      maxLength: 2048,
      placeholder: 'https://example.com/hooks',
    },
    { name: 'description', label: 'Description', kind: 'textarea', maxLength: 1000 },
    {
      name: 'eventTypes',
      label: 'Event types',
      description: 'Types such as management.dashboard.created.v1; * stands for any part, or for all types.',
      kind: 'tags',
      isRequired: true,
      placeholder: 'management.dashboard.*.v1',
      suggestions: ['*', ...EVENT_NOUNS.map((noun) => `management.${noun}.*.v1`), ...EVENT_TYPES],
    },
    {
      name: 'projectId',
      label: 'Project',
      kind: 'select',
      options: [
        { value: ALL_PROJECTS, label: 'All projects' },
        ...projects.map(({ id, name }) => ({ value: id, label: name })),
      ],
    },
    {
      name: 'isEnabled',
      label: 'Enabled',
      description: 'A disabled webhook receives nothing.',
      kind: 'switch',
    },
  ];
}

export const NEW_WEBHOOK: FormValues = {
  url: '',
  description: '',
  eventTypes: [],
  projectId: ALL_PROJECTS,
  isEnabled: true,
};

/** The values of the form by the record. */
export function webhookValues({ url, description, eventTypes, projectId, isEnabled }: Webhook): FormValues {
  return { url, description, eventTypes, projectId: projectId ?? ALL_PROJECTS, isEnabled };
}

/** The body of a request by the values of the form. */
export function toBody(values: FormValues): FormValues {
  return values['projectId'] === ALL_PROJECTS ? { ...values, projectId: null } : values;
}
