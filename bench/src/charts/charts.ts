import { drawBars, type BarChart, type ColorScheme } from './drawBars.js';
import { readTable } from './readTable.js';

const SERVERS = ['limit', 'standalone', 'mesh', 'Parse Server'];
const CONNECTIONS = '16';
const SCHEMES: readonly ColorScheme[] = ['light', 'dark'];

/** Requests a second of each operation, beside the limit. */
function comparisonOf(results: string): BarChart {
  const rows = readTable(results, 'Beside the limit').filter(
    ({ connections }) => connections === CONNECTIONS,
  );
  const rate = (work: string, server: string) => {
    const found = rows.find((row) => row['work'] === work && row['server'] === server);
    return found === undefined ? null : Number(found['requests/s']);
  };
  return {
    title: 'Requests a second',
    subtitle: `${CONNECTIONS} connections; the limit is a server without access checks on the same machine`,
    series: SERVERS,
    groups: [...new Set(rows.map(({ work = '' }) => work))].map((work) => ({
      label: work,
      values: SERVERS.map((server) => rate(work, server)),
    })),
  };
}

/** Previews of policies a second, by the number of assignments in the project. */
function previewsOf(results: string): BarChart {
  const rows = readTable(results, 'Policy previews').filter(({ work }) => work?.startsWith('preview'));
  const sizes = [...new Set(rows.map((row) => row['assignments in the project'] ?? ''))];
  const rate = (work: string, size: string) =>
    Number(
      rows.find((row) => row['work'] === work && row['assignments in the project'] === size)?.[
        'requests/s'
      ] ?? 0,
    );
  return {
    title: 'Policy previews a second',
    subtitle: 'Standalone, 16 connections, by the number of assignments in the project',
    series: sizes,
    groups: [...new Set(rows.map(({ work = '' }) => work))].map((work) => ({
      label: work,
      values: sizes.map((size) => rate(work, size)),
    })),
  };
}

/** The charts of the results, as texts by file name. */
export function drawCharts(results: string): Map<string, string> {
  const charts = { comparison: comparisonOf(results), previews: previewsOf(results) };
  return new Map(
    Object.entries(charts).flatMap(([name, chart]) =>
      SCHEMES.map((scheme) => [`${name}-${scheme}.svg`, drawBars(chart, scheme)] as const),
    ),
  );
}
