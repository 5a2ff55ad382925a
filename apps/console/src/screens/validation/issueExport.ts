import type { ValidationIssue } from '@gatehouse/contract';
import type { Column } from '../../components/columns.js';
import type { ListSource } from '../../data/useList.js';
import type { IssueCause } from '../../logic/issueCauses.js';
import { CODE_TITLES } from './issueTexts.js';

interface FoundIssue {
  /** The id of the dashboard. */
  id: string;
  title: string;
  issue: ValidationIssue;
}

/** An exported column: issues have no table. */
function column(header: string, text: (item: FoundIssue) => string): Column<FoundIssue> {
  return { id: header, header, text, render: text };
}

export const issueColumns: readonly Column<FoundIssue>[] = [
  column('Dashboard', ({ title }) => title),
  column('Severity', ({ issue }) => issue.severity),
  column('Issue', ({ issue }) => CODE_TITLES[issue.code]),
  column('Place', ({ issue }) => issue.path),
  column('Message', ({ issue }) => issue.message),
  column('Suggestions', ({ issue }) => (issue.suggestions ?? []).join('; ')),
];

/** The issues of causes, each with its dashboard. */
export function issuesOf(causes: readonly IssueCause[]): ListSource<FoundIssue> {
  const found = () =>
    causes.flatMap(({ dashboards }) =>
      dashboards.flatMap(({ id, title, issues }) => issues.map((issue) => ({ id, title, issue }))),
    );
  return { key: ['validation', 'issues'], load: () => Promise.resolve({ items: found(), next: null }) };
}
