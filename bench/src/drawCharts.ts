import { readFile, writeFile } from 'node:fs/promises';
import { drawCharts } from './charts/charts.js';

/** Draws bench/results.md into bench/charts. */
const results = await readFile(new URL('../results.md', import.meta.url), 'utf8');
for (const [name, svg] of drawCharts(results))
  await writeFile(new URL(`../charts/${name}`, import.meta.url), svg);
