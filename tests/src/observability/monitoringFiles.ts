import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';

const ROOT = new URL('../../../', import.meta.url);
const read = (path: string) => readFile(new URL(path, ROOT), 'utf8');

const Rule = z.strictObject({
  alert: z.string().regex(/^Gatehouse[A-Z]\w+$/),
  expr: z.string(),
  for: z
    .string()
    .regex(/^\d+[smh]$/)
    .optional(),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
  annotations: z.strictObject({ summary: z.string(), runbook: z.string() }),
});
/** A file of alert rules, as Prometheus documents it. */
const RuleFile = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), rules: z.array(Rule) })),
});

/** What Grafana demands of a dashboard; of a panel, what is used here. */
const Dashboard = z.object({
  uid: z.string(),
  title: z.string(),
  schemaVersion: z.number(),
  templating: z.object({ list: z.array(z.object({ name: z.string(), type: z.literal('datasource') })) }),
  panels: z.array(
    z.object({
      id: z.number(),
      type: z.enum(['row', 'timeseries']),
      title: z.string().min(1),
      gridPos: z.object({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
      targets: z
        .array(z.object({ refId: z.string(), expr: z.string(), legendFormat: z.string() }))
        .default([]),
    }),
  ),
});

export type AlertRule = z.infer<typeof Rule>;

/** The alert rules of the project. Throws where they are not what Prometheus takes. */
export async function readAlerts(): Promise<AlertRule[]> {
  const { groups } = RuleFile.parse(parse(await read('infra/alerts/gatehouse.yaml'), { uniqueKeys: true }));
  return groups.flatMap(({ rules }) => rules);
}

export async function readDashboard(): Promise<z.infer<typeof Dashboard>> {
  return Dashboard.parse(JSON.parse(await read('infra/grafana/gatehouse.json')));
}

/** A query as Prometheus is sent it: with the interval that Grafana puts in. */
export function fillInterval(query: string): string {
  return query.replaceAll('$__rate_interval', '5m');
}

/** An item of the lists of metrics in the documentation. */
export interface DocumentedMetric {
  name: string;
  type: string;
  labels: string[];
}

/** The page about observability: its lists of metrics, and the anchors of its headings. */
export async function readPage(): Promise<{ metrics: DocumentedMetric[]; anchors: string[] }> {
  const page = await read('docs/observability.md');
  const items = page.matchAll(/^- `([a-z_0-9]+)` \((counter|gauge|histogram)(?:; ([^)]*))?\)/gm);
  const metrics = [...items].map(([, name = '', type = '', labels = '']) => ({
    name,
    type,
    labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label).toSorted(),
  }));
  const anchors = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll(' ', '-'),
  );
  return { metrics, anchors };
}
