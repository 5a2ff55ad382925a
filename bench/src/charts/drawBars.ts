/** A chart of horizontal bars, one for each series in each group. */
export interface BarChart {
  title: string;
  subtitle: string;
  series: readonly string[];
  /** `values` has one number for each series; a longer bar is a larger number, and null has none. */
  groups: readonly { label: string; values: readonly (number | null)[] }[];
}

export type ColorScheme = 'light' | 'dark';

/** The colors of the series differ in lightness too, for readers who do not distinguish hues. */
const COLORS = {
  light: {
    text: '#1f2328',
    muted: '#59636e',
    line: '#d1d9e0',
    series: ['#8c959f', '#0969da', '#bc4c00', '#d4a72c'],
  },
  dark: {
    text: '#f0f6fc',
    muted: '#9198a1',
    line: '#3d444d',
    series: ['#6e7681', '#58a6ff', '#f0883e', '#e3b341'],
  },
};

const WIDTH = 760;
const LABEL_WIDTH = 230;
const VALUE_WIDTH = 70;
const BAR_HEIGHT = 16;
const GROUP_GAP = 14;
const TOP = 88;

const escape = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

interface Label {
  x: number;
  y: number;
  color: string;
  size?: number;
  anchor?: 'start' | 'end';
}

const write = (text: string, { x, y, color, size = 13, anchor = 'start' }: Label): string =>
  `<text x="${x}" y="${y}" fill="${color}" font-size="${size}" text-anchor="${anchor}">` +
  `${escape(text)}</text>`;

/** The chart as SVG, on a transparent background. */
export function drawBars(chart: BarChart, scheme: ColorScheme): string {
  const colors = COLORS[scheme];
  const colorOf = (index: number) => colors.series[index % colors.series.length] ?? colors.text;
  const groupHeight = chart.series.length * BAR_HEIGHT + GROUP_GAP;
  const height = TOP + chart.groups.length * groupHeight;
  const largest = Math.max(...chart.groups.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const lengthOf = (value: number) =>
    Math.round((value / largest) * (WIDTH - LABEL_WIDTH - VALUE_WIDTH) * 10) / 10;
  const legend = chart.series.map((name, index) => {
    const x = LABEL_WIDTH + index * 130;
    const square = `<rect x="${x}" y="58" width="12" height="12" fill="${colorOf(index)}"/>`;
    return square + write(name, { x: x + 18, y: 69, color: colors.text });
  });
  const bars = chart.groups.flatMap(({ label, values }, group) => {
    const top = TOP + group * groupHeight;
    const middle = top + (chart.series.length * BAR_HEIGHT) / 2 + 5;
    return [
      write(label, { x: LABEL_WIDTH - 12, y: middle, color: colors.text, anchor: 'end' }),
      ...values.map((value, index) => {
        const [y, length] = [top + index * BAR_HEIGHT, lengthOf(value ?? 0)];
        const place = `x="${LABEL_WIDTH}" y="${y}" width="${length}" height="${BAR_HEIGHT - 2}"`;
        const number = write(value === null ? '–' : Math.round(value).toLocaleString('en'), {
          x: LABEL_WIDTH + length + 6,
          y: y + 12,
          color: colors.muted,
          size: 12,
        });
        return `<rect ${place} fill="${colorOf(index)}"/>${number}`;
      }),
    ];
  });
  const axis = `<path d="M${LABEL_WIDTH} ${TOP - 4}V${height - GROUP_GAP + 4}" stroke="${colors.line}"/>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img"`,
    ` font-family="system-ui, sans-serif"><title>${escape(chart.title)}</title>\n`,
    [
      write(chart.title, { x: 0, y: 20, color: colors.text, size: 17 }),
      write(chart.subtitle, { x: 0, y: 42, color: colors.muted }),
      ...legend,
      axis,
      ...bars,
    ].join('\n'),
    '\n</svg>\n',
  ].join('');
}
