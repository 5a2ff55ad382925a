/** A metric as it was exported. */
export interface ExportedMetric {
  type: string;
  help: string;
  labels: Set<string>;
  /** The values of each label. */
  values: Map<string, Set<string>>;
}

const COMMENT = /^# (HELP|TYPE) (\S+) (.*)$/;
const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;
/** What Prometheus makes of a histogram, by the ends of the names. */
const PARTS = /_(bucket|sum|count)$/;

/**
 * Parses the Prometheus text format of several processes: metrics by name, those of a histogram under its
 * own.
 */
export function readExported(texts: readonly string[]): Map<string, ExportedMetric> {
  const metrics = new Map<string, ExportedMetric>();
  const open = (name: string): ExportedMetric => {
    const metric = metrics.get(name) ?? { type: '', help: '', labels: new Set(), values: new Map() };
    metrics.set(name, metric);
    return metric;
  };
  for (const line of texts.flatMap((text) => text.split('\n')).filter((each) => each !== '')) {
    const [, comment, described = '', said = ''] = COMMENT.exec(line) ?? [];
    if (comment === 'HELP') open(described).help = said;
    else if (comment === 'TYPE') open(described).type = said;
    else readSample(line, metrics);
  }
  return metrics;
}

function readSample(line: string, metrics: Map<string, ExportedMetric>): void {
  const [, name = '', labels = ''] = SAMPLE.exec(line) ?? [];
  const metric = metrics.get(name) ?? metrics.get(name.replace(PARTS, ''));
  if (metric === undefined) throw new Error(`A sample of an unknown metric: ${line}`);
  for (const [, label = '', value = ''] of labels.matchAll(LABEL)) {
    if (label === 'le' && metric.type === 'histogram') continue;
    metric.labels.add(label);
    metric.values.set(label, (metric.values.get(label) ?? new Set()).add(value));
  }
}

/** The series that a query may name, with their labels: those of histograms by their parts. */
export function seriesOf(metrics: ReadonlyMap<string, ExportedMetric>): Map<string, ReadonlySet<string>> {
  return new Map(
    [...metrics].flatMap(([name, { type, labels }]): [string, ReadonlySet<string>][] => {
      if (type !== 'histogram') return [[name, labels]];
      return [
        [`${name}_bucket`, new Set([...labels, 'le'])],
        [`${name}_sum`, labels],
        [`${name}_count`, labels],
      ];
    }),
  );
}
