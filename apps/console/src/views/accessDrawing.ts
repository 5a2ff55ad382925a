import { scrolling, svgElement, element } from '../dom.js';
import { describeOutcome, type AccessPath, type AccessPaths } from '../logic/accessPaths.js';

const WIDTH = 760;
const BOX = { width: 190, height: 46 };
const ROW_HEIGHT = 78;
const COLUMNS = { user: 0, via: (WIDTH - BOX.width) / 2, dashboard: WIDTH - BOX.width };
/** Distance of the level from the start of its edge: above the edge, or below one that rises. */
const LEVEL_OFFSET = { x: 44, above: -6, below: 14 };
/** The number of characters that fit on one line of a box. */
const CHARACTERS_MAX = 24;

/**
 * Draws user → grant → dashboard, a row for each path, with levels on the edges. The text beside it has the
 * same content.
 */
export function drawAccess(paths: AccessPaths): HTMLElement {
  const rows = Math.max(paths.paths.length, 1);
  const height = rows * ROW_HEIGHT;
  const middle = height / 2;
  const drawing = svgElement(
    'svg',
    {
      viewBox: `0 0 ${WIDTH} ${height}`,
      width: WIDTH,
      height,
      role: 'img',
      'aria-labelledby': 'drawing-title',
    },
    svgElement(
      'title',
      { id: 'drawing-title' },
      `${describeOutcome(paths)} ${paths.paths.length} ways are drawn.`,
    ),
    ...paths.paths.map((path, index) => drawPath(path, (index + 0.5) * ROW_HEIGHT, middle)),
    drawBox(COLUMNS.user, middle, { text: paths.user, detail: `role ${paths.role}`, kind: 'end' }),
    drawBox(COLUMNS.dashboard, middle, {
      text: paths.dashboard,
      detail: paths.accessLevel ?? 'no access',
      kind: 'end',
    }),
  );
  return element('figure', {}, scrolling('Drawing of the ways to the dashboard', drawing));
}

function drawPath({ via, level, wins }: AccessPath, y: number, middle: number): SVGGElement {
  const [from, into] = [COLUMNS.user + BOX.width, COLUMNS.via];
  const [out, to] = [COLUMNS.via + BOX.width, COLUMNS.dashboard];
  const levelY = y + (y > middle ? LEVEL_OFFSET.below : LEVEL_OFFSET.above);
  return svgElement(
    'g',
    { class: wins ? 'path wins' : 'path' },
    drawEdge({ x: from, y: middle }, { x: into, y }),
    drawEdge({ x: out, y }, { x: to, y: middle }),
    drawBox(COLUMNS.via, y, { text: via, detail: wins ? 'this one wins' : '', kind: 'via' }),
    svgElement('text', { x: out + LEVEL_OFFSET.x, y: levelY, class: 'edge-level' }, level),
  );
}

interface Point {
  x: number;
  y: number;
}

function drawEdge(from: Point, to: Point): SVGPathElement {
  const bend = (from.x + to.x) / 2;
  return svgElement('path', {
    class: 'edge',
    d: `M ${from.x} ${from.y} C ${bend} ${from.y}, ${bend} ${to.y}, ${to.x} ${to.y}`,
  });
}

function drawBox(
  x: number,
  middle: number,
  { text, detail, kind }: { text: string; detail: string; kind: 'end' | 'via' },
): SVGGElement {
  const shown = text.length > CHARACTERS_MAX ? `${text.slice(0, CHARACTERS_MAX - 1)}…` : text;
  const center = x + BOX.width / 2;
  return svgElement(
    'g',
    { class: `box ${kind}` },
    svgElement('title', {}, text),
    svgElement('rect', {
      x: x + 1,
      y: middle - BOX.height / 2,
      width: BOX.width - 2,
      height: BOX.height,
      rx: 6,
    }),
    svgElement('text', { x: center, y: detail === '' ? middle + 5 : middle - 3 }, shown),
    svgElement('text', { x: center, y: middle + 14, class: 'detail' }, detail),
  );
}
