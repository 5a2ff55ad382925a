import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { drawCharts } from './charts.js';
import { drawBars } from './drawBars.js';
import { readTable } from './readTable.js';

const read = (file: string) => readFile(new URL(`../../${file}`, import.meta.url), 'utf8');

describe('the charts', () => {
  it('show the stored results; node bench/dist/drawCharts.js draws them again', async () => {
    const drawn = drawCharts(await read('results.md'));
    const names = [...drawn.keys()];
    const stored = await Promise.all(names.map((name) => read(`charts/${name}`)));
    expect(names).toHaveLength(4);
    expect([...drawn.values()]).toEqual(stored);
  });

  it('have bars in proportion to the numbers, and escaped labels', () => {
    const groups = [{ label: 'a < b', values: [100, 50] }];
    const svg = drawBars({ title: 'T', subtitle: 'S', series: ['one', 'two'], groups }, 'light');
    const [first, second] = [...svg.matchAll(/width="([\d.]+)" height="14"/g)].map(([, width]) =>
      Number(width),
    );
    expect(first).toBe(2 * (second ?? 0));
    expect(svg).toContain('a &lt; b');
  });

  it('need a table', () => {
    expect(() => readTable('\n## Growth\n\nNo table.\n', 'Growth')).toThrow('"Growth"');
  });
});
