import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Bucket } from '../../logic/activityBuckets.js';
import classes from './Audit.module.css';

const HEIGHT_PX = 260;
/** The width of the period if there is one only. */
const HOUR_MS = 3_600_000;

export interface ChartProps {
  buckets: readonly Bucket[];
  label: string;
}

/** Bars of what was done and refused by period. */
export function Chart({ buckets, label }: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme();
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const style = getComputedStyle(element);
    const color = (name: string) => style.getPropertyValue(name).trim();
    const axis = {
      stroke: style.color,
      grid: { stroke: color('--gh-line') },
      ticks: { stroke: color('--gh-line') },
    };
    const width = (buckets[1]?.at ?? Number.NaN) - (buckets[0]?.at ?? 0) || HOUR_MS;
    const from = (buckets[0]?.at ?? 0) / 1000;
    const until = ((buckets.at(-1)?.at ?? 0) + width) / 1000;
    const bars = UPlot.paths.bars?.({ size: [0.7, 40] });
    const series = (name: string, fill: string) => ({
      label: name,
      stroke: fill,
      fill,
      points: { show: false },
      ...(bars ? { paths: bars } : {}),
    });
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT_PX,
        axes: [axis, { ...axis, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] }],
        legend: { live: false },
        cursor: { show: false },
        scales: {
          x: { range: [from, until] },
          y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] },
        },
        series: [
          {},
          // Refusals are drawn over the sum of both, so that they appear stacked.
          series('All', color('--mantine-color-indigo-filled')),
          series('Refused', color('--mantine-color-red-filled')),
        ],
      },
      [
        // A bar is drawn around its place: the middle of its period.
        buckets.map(({ at }) => (at + width / 2) / 1000),
        buckets.map(({ done, refused }) => done + refused),
        buckets.map(({ refused }) => refused),
      ],
      element,
    );
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: HEIGHT_PX }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [buckets, scheme]);
  return <div ref={host} className={classes['chart']} role="img" aria-label={label} />;
}
