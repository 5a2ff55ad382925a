import type { ValidationIssue } from '@gatehouse/contract';

/** The issues of one code, errors before warnings. */
export interface IssueGroup {
  code: ValidationIssue['code'];
  severity: ValidationIssue['severity'];
  issues: ValidationIssue[];
}

/** Issues by their code: errors first, then the codes that occur most. */
export function groupIssues(issues: readonly ValidationIssue[]): IssueGroup[] {
  const groups = new Map<string, IssueGroup>();
  for (const issue of issues) {
    const { code, severity } = issue;
    const group = groups.get(`${severity} ${code}`);
    if (group) group.issues.push(issue);
    else groups.set(`${severity} ${code}`, { code, severity, issues: [issue] });
  }
  return [...groups.values()].toSorted(
    (one, other) =>
      one.severity.localeCompare(other.severity) ||
      other.issues.length - one.issues.length ||
      one.code.localeCompare(other.code),
  );
}
