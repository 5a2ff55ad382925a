import type { SyntaxNode } from '@lezer/common';
import { parser } from '@prometheus-io/lezer-promql';
import type { ExportedMetric } from './exportedMetrics.js';
import { seriesOf } from './exportedMetrics.js';

/** What Prometheus itself adds: the labels of the target that was scraped, and whether it answered. */
const TARGET_LABELS = ['job', 'instance'];
const UP = 'up';

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}

function* walk(node: SyntaxNode): Generator<SyntaxNode> {
  yield node;
  for (const child of childrenOf(node)) yield* walk(child);
}

const findAll = (node: SyntaxNode, name: string) => [...walk(node)].filter((found) => found.name === name);

/** The part of a query that a list of labels, as in `by (…)`, speaks of. */
function scopeOf(labels: SyntaxNode): SyntaxNode {
  let node = labels;
  while (node.parent !== null && node.name !== 'AggregateExpr' && node.name !== 'BinaryExpr')
    node = node.parent;
  return node;
}

/** What a query is judged by. */
class Judged {
  readonly faults: string[] = [];
  readonly #query: string;
  readonly #exported: ReadonlyMap<string, ExportedMetric>;
  readonly #series: ReadonlyMap<string, ReadonlySet<string>>;

  constructor(query: string, exported: ReadonlyMap<string, ExportedMetric>) {
    this.#query = query;
    this.#exported = exported;
    this.#series = seriesOf(exported);
  }

  judgeSelector(selector: SyntaxNode): void {
    const name = this.#nameOf(selector);
    if (!this.#series.has(name) && name !== UP) this.faults.push(`there is no ${name}`);
    for (const matcher of findAll(selector, 'UnquotedLabelMatcher')) this.#judgeMatcher(name, matcher);
  }

  /** A label that is grouped by, or matched on, is one of each series in its scope. */
  judgeGrouping(grouping: SyntaxNode): void {
    const labels = findAll(grouping, 'LabelName').map((label) => this.#textOf(label));
    for (const selector of findAll(scopeOf(grouping), 'VectorSelector'))
      for (const label of labels) this.#judgeLabel(this.#nameOf(selector), label);
  }

  #judgeMatcher(name: string, matcher: SyntaxNode): void {
    const [label = '', , value = ''] = childrenOf(matcher).map((child) => this.#textOf(child));
    this.#judgeLabel(name, label);
    const isExact = matcher.getChild('MatchOp')?.getChild('EqlSingle');
    const values = this.#exported.get(name)?.values.get(label);
    if (isExact && values && !values.has(value.slice(1, -1)))
      this.faults.push(`${name} has no ${label} ${value}`);
  }

  #judgeLabel(name: string, label: string): void {
    const labels = [...(this.#series.get(name) ?? []), ...TARGET_LABELS];
    if (!labels.includes(label)) this.faults.push(`${name} has no label ${label}`);
  }

  #textOf({ from, to }: SyntaxNode): string {
    return this.#query.slice(from, to);
  }

  #nameOf(selector: SyntaxNode): string {
    return this.#textOf(selector.getChild('Identifier') ?? selector);
  }
}

/**
 * The faults of a PromQL query, by the grammar of Prometheus and the exported metrics: missing series and
 * labels, and values that a label never had.
 */
export function findQueryFaults(query: string, exported: ReadonlyMap<string, ExportedMetric>): string[] {
  const root = parser.parse(query).topNode;
  if (findAll(root, '⚠').length > 0) return [`is no PromQL: ${query}`];
  const judged = new Judged(query, exported);
  for (const selector of findAll(root, 'VectorSelector')) judged.judgeSelector(selector);
  for (const grouping of findAll(root, 'GroupingLabels')) judged.judgeGrouping(grouping);
  return judged.faults;
}
