import type { Page } from '@gatehouse/testing';
import type { Api } from '../api.js';
import { securityPath } from '../policyRecords.js';
import { enter, press, tabTo } from './keyboard.js';

/** A kind of record, and what its forms need. */
export interface RecordKind {
  noun: string;
  /** The address and the title of its list. */
  list: string;
  title: string;
  /** Where the API lists it. */
  apiPath(api: Api): string;
  /** The fields of a new record, the name first. */
  fields: readonly [label: string, text: string][];
  /** The changed field of the saved record. */
  change: readonly [label: string, text: string];
  /** Fills what else the form needs. */
  complete?(page: Page): Promise<void>;
  /** The query of the address of the form, if it needs a value to begin with. */
  newQuery?(connectionId: string): string;
  /** The tab with the settings, if it is not the first. */
  tab?: string;
  /** Whether its list has a search. */
  isSearched?: boolean;
  hasSecret?: boolean;
  /** Whether its name must be typed before it is deleted. */
  isTyped?: boolean;
  /** Whether the API has no deletion. */
  isPermanent?: boolean;
}

const withField = (label: string, noun: string): Pick<RecordKind, 'noun' | 'fields' | 'change'> => ({
  noun,
  fields: [[label, `Own ${noun}`]],
  change: [label, `Renamed ${noun}`],
});

/** Every kind of record that a form without secrets of other systems creates. */
export const recordKinds: readonly RecordKind[] = [
  {
    ...withField('Title', 'dashboard'),
    list: '/dashboards',
    title: 'Dashboards',
    apiPath: () => '/dashboards',
    isSearched: true,
    hasSecret: true,
  },
  {
    ...withField('Title', 'visual'),
    list: '/visuals',
    title: 'Visuals',
    apiPath: () => '/visuals',
    isSearched: true,
  },
  {
    ...withField('Name', 'group'),
    list: '/groups',
    title: 'Groups',
    apiPath: () => '/groups',
    isSearched: true,
    tab: 'Settings',
  },
  {
    ...withField('Name', 'tenant'),
    list: '/tenants',
    title: 'Tenants',
    apiPath: () => '/tenants',
    isSearched: true,
    isTyped: true,
  },
  {
    noun: 'semantic domain',
    list: '/domains',
    title: 'Semantic domains',
    apiPath: () => '/api/v1/domains',
    fields: [
      ['Label', 'Own domain'],
      ['Name', 'own_domain'],
    ],
    change: ['Label', 'Renamed domain'],
  },
  {
    ...withField('Name', 'data model'),
    list: '/datamodels',
    title: 'Data models',
    apiPath: () => '/api/v1/datamodels',
    complete: async (page) => {
      await tabTo(page, page.getByRole('textbox', { name: 'Connection', exact: true }));
      await page.getByRole('option').first().waitFor();
      await page.keyboard.press('ArrowDown');
      await page.keyboard.press('Enter');
    },
  },
  {
    ...withField('Name', 'assistant profile'),
    list: '/assistants',
    title: 'Assistant profiles',
    apiPath: () => '/api/v1/assistant-profiles',
  },
  {
    ...withField('Name', 'project'),
    list: '/projects',
    title: 'Projects',
    apiPath: () => '/projects',
    hasSecret: true,
    isPermanent: true,
  },
  {
    ...withField('Name', 'policy definition'),
    list: '/policies/definitions',
    title: 'Policies',
    apiPath: (api) => `${securityPath(api)}/definitions`,
    isSearched: true,
    newQuery: (connectionId) => `?connection=${connectionId}`,
    complete: async (page) => {
      await press(page, page.getByRole('button', { name: 'Add a rule' }));
      await enter(page, page.getByRole('combobox', { name: 'Column', exact: true }), 'tenant_id');
      await tabTo(page, page.getByRole('textbox', { name: 'Condition of rule 1' }));
      await page.keyboard.insertText('tenant_id IS NOT NULL');
    },
  },
];
