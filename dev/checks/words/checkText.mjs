import { contractions, identifiers, phrases } from './phrases.mjs';
import { segmentsOf } from './segments.mjs';

/** @typedef {import('./segments.mjs').Segment} Segment */
/** @typedef {{ start: number, end: number, text: string }} Line */
/** @typedef {{ at: number, problem: string, instead: string }} Found */
/** @typedef {{ line: number, problem: string, instead: string, isLength: boolean }} Finding */

const MAX_LINE = 110;
/** A line with one long word, such as a URL, may have this many other characters. */
const BESIDE_ONE_WORD = 25;
const SOURCE = /\.[cm]?[jt]sx?$/;

/** @param {import('./phrases.mjs').Phrase} phrase */
const forSearch = ({ pattern, instead }) => ({
  pattern: new RegExp(pattern.source.replaceAll(' ', '[ \\0]+'), `g${pattern.flags}`),
  instead,
});
const IN_STRINGS = phrases.map(forSearch);
const IN_COMMENTS = [...IN_STRINGS, forSearch(contractions)];

/**
 * Checks a text for long lines and banned phrases.
 * @param {string} file its path, which decides what is a comment
 * @param {string} text
 * @returns {Finding[]} by line
 */
export function checkText(file, text) {
  const lines = linesOf(text);
  /** @type {Segment[]} */
  const whole = [{ kind: 'comment', start: 0, end: text.length }];
  const segments = SOURCE.test(file) ? joinComments(text, segmentsOf(text)) : whole;
  const long = findLongLines(lines, segments).map((found) => ({ ...found, isLength: true }));
  const words = segments.flatMap((segment) => findWords(text, segment));
  return [...long, ...words.map((found) => ({ ...found, isLength: false }))]
    .map(({ at, ...found }) => ({ line: lines.findLastIndex(({ start }) => start <= at) + 1, ...found }))
    .toSorted((one, other) => one.line - other.line);
}

/**
 * @param {string} text
 * @returns {Line[]}
 */
function linesOf(text) {
  let next = 0;
  return text.split('\n').map((line) => {
    const start = next;
    next += line.length + 1;
    return { start, end: start + line.length, text: line };
  });
}

/**
 * Joins comments with only white space between them, so that a phrase is found across `//` lines.
 * @param {string} text
 * @param {Segment[]} segments
 * @returns {Segment[]}
 */
function joinComments(text, segments) {
  /** @type {Segment[]} */
  const joined = [];
  for (const [index, segment] of segments.entries()) {
    const isGap = segment.kind === 'code' && text.slice(segment.start, segment.end).trim() === '';
    const last = joined.at(-1);
    if (isGap && last?.kind === 'comment' && segments[index + 1]?.kind === 'comment') continue;
    if (segment.kind === 'comment' && last?.kind === 'comment') last.end = segment.end;
    else joined.push(segment);
  }
  return joined;
}

/**
 * @param {Line[]} lines
 * @param {Segment[]} segments
 * @returns {Found[]}
 */
function findLongLines(lines, segments) {
  return lines
    .filter((line) => line.text.length > MAX_LINE && !isUnbreakable(line, segments))
    .map(({ start, text }) => ({
      at: start,
      problem: `a line of ${text.length} characters`,
      instead: `at most ${MAX_LINE}`,
    }));
}

/**
 * Whether a line is long because of one word, such as a URL, or of a literal. The formatter breaks all other
 * code. The title of a test is a literal that can be shorter.
 * @param {Line} line
 * @param {Segment[]} segments
 */
function isUnbreakable({ start, end, text }, segments) {
  const longest = Math.max(...text.split(/\s+/).map((word) => word.length));
  if (text.length - longest <= BESIDE_ONE_WORD) return true;
  if (/^\s*(?:it|test|describe)\b/.test(text)) return false;
  const parts = segments.filter((segment) => segment.start < end && segment.end > start);
  return !parts.some(({ kind }) => kind === 'comment') && parts.some(({ kind }) => kind !== 'code');
}

/**
 * @param {string} text
 * @param {Segment} segment
 * @returns {Found[]}
 */
function findWords(text, { kind, start, end }) {
  const content = text.slice(start, end);
  if (kind === 'code') return findIdentifiers(content, start);
  const isProse = kind === 'comment' || (kind !== 'pattern' && content.trim().includes(' '));
  if (!isProse) return [];
  const unwrapped = unwrap(content);
  return (kind === 'comment' ? IN_COMMENTS : IN_STRINGS).flatMap(({ pattern, instead }) =>
    [...unwrapped.matchAll(pattern)].map((match) => ({
      at: start + match.index,
      problem: `"${match[0].replaceAll(/[ \0]+/g, ' ')}"`,
      instead,
    })),
  );
}

/**
 * Replaces the line breaks of a comment, so that a phrase is found across them. Positions stay the same.
 * @param {string} content
 */
const unwrap = (content) =>
  content.replaceAll(/\n[ \t]*(?:\*|\/\/|#)?[ \t]*/g, (found) => ' '.padEnd(found.length, '\0'));

/**
 * @param {string} content
 * @param {number} start
 * @returns {Found[]}
 */
function findIdentifiers(content, start) {
  return [...content.matchAll(/[A-Za-z_$][\w$]*/g)].flatMap((match) => {
    const instead = Object.hasOwn(identifiers, match[0]) ? identifiers[match[0]] : undefined;
    return instead === undefined ? [] : [{ at: start + match.index, problem: match[0], instead }];
  });
}
