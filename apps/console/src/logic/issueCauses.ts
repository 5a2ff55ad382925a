import type { ValidationIssue } from '@gatehouse/contract';

/** A dashboard with issues of one cause. */
export interface AffectedDashboard {
  id: string;
  title: string;
  issues: readonly ValidationIssue[];
}

type Code = ValidationIssue['code'];

/** A column is missing for all its uses alike: one rename breaks and repairs them together. */
const SAME_CAUSE: Partial<Record<Code, Code>> = {
  FILTER_FIELD_NOT_FOUND: 'FIELD_NOT_FOUND',
  JOIN_KEY_NOT_FOUND: 'FIELD_NOT_FOUND',
};

/** All issues that one mistake causes, such as a renamed column. */
export interface IssueCause {
  key: string;
  /** That of a column for its filters and joins too. */
  code: Code;
  severity: ValidationIssue['severity'];
  /** What is missing, such as `orders.amount`; the message if the issue names nothing. */
  subject: string;
  suggestions: readonly string[];
  issueCount: number;
  dashboards: readonly AffectedDashboard[];
}

interface Checked {
  id: string;
  title: string;
  issues: readonly ValidationIssue[];
}

function subjectOf({ entity, field, message }: ValidationIssue): string {
  const names = [entity, field].filter((name) => name !== undefined);
  return names.length === 0 ? message : names.join('.');
}

interface Growing {
  code: Code;
  first: ValidationIssue;
  count: number;
  dashboards: Map<string, Checked & { issues: ValidationIssue[] }>;
}

/**
 * The issues of many dashboards by their cause: the same mistake in the same name. Errors come first, then
 * the causes that affect most dashboards.
 */
export function groupByCause(results: Iterable<Checked>): IssueCause[] {
  const causes = new Map<string, Growing>();
  for (const { id, title, issues } of results)
    for (const issue of issues) {
      const code = SAME_CAUSE[issue.code] ?? issue.code;
      const key = JSON.stringify([issue.severity, code, subjectOf(issue)]);
      const cause = causes.get(key) ?? { code, first: issue, count: 0, dashboards: new Map() };
      causes.set(key, cause);
      cause.count += 1;
      const dashboard = cause.dashboards.get(id);
      if (dashboard) dashboard.issues.push(issue);
      else cause.dashboards.set(id, { id, title, issues: [issue] });
    }
  return [...causes].map(([key, growing]) => toCause(key, growing)).toSorted(byWeight);
}

function toCause(key: string, { code, first, count, dashboards }: Growing): IssueCause {
  const { severity, suggestions = [] } = first;
  const affected = [...dashboards.values()];
  return {
    key,
    code,
    severity,
    subject: subjectOf(first),
    suggestions,
    issueCount: count,
    dashboards: affected,
  };
}

function byWeight(one: IssueCause, other: IssueCause): number {
  return (
    one.severity.localeCompare(other.severity) ||
    other.dashboards.length - one.dashboards.length ||
    one.key.localeCompare(other.key)
  );
}
