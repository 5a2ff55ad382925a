/**
 * Divides JavaScript and TypeScript source text into code, comments and literals. This is not a parser:
 * a regular expression is recognized by the code in front of it, which is sufficient for formatted code.
 */

/** @typedef {'code' | 'comment' | 'string' | 'template' | 'pattern'} SegmentKind */
/** @typedef {{ kind: SegmentKind, start: number, end: number }} Segment */

const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const STRING = /'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"/y;
const PATTERN = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const TEMPLATE_TEXT = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*/y;
/** What precedes a regular expression. After anything else, a slash divides. */
const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|case|typeof|of|in|await))\s*$/;
/** The number of characters before a slash that decide whether it begins a regular expression. */
const LOOK_BEHIND = 40;

class Segmenter {
  #source;
  #at = 0;
  #codeStart = 0;
  /** @type {Segment[]} */
  #segments = [];
  /** @type {number[]} for each open template placeholder, the number of braces that are open inside it */
  #placeholders = [];

  /** @param {string} source */
  constructor(source) {
    this.#source = source;
  }

  run() {
    while (this.#at < this.#source.length) this.#step(this.#source[this.#at] ?? '');
    this.#add('code', 0);
    return this.#segments;
  }

  /** @param {string} character */
  #step(character) {
    if (character === '/' && this.#addComment()) return;
    if (character === '/' && this.#isBeforePattern()) this.#add('pattern', this.#match(PATTERN) || 1);
    else if (character === "'" || character === '"') this.#add('string', this.#match(STRING) || 1);
    else if (character === '`') this.#addTemplate();
    else if (character === '}' && this.#placeholders.at(-1) === 0) {
      this.#placeholders.pop();
      this.#addTemplate();
    } else {
      this.#countBrace(character);
      this.#at += 1;
    }
  }

  #addComment() {
    const length = this.#match(COMMENT);
    if (length > 0) this.#add('comment', length);
    return length > 0;
  }

  #isBeforePattern() {
    return BEFORE_PATTERN.test(this.#source.slice(Math.max(0, this.#at - LOOK_BEHIND), this.#at));
  }

  /** Reads the text of a template up to its end or its next placeholder. */
  #addTemplate() {
    this.#at += 1;
    this.#add('template', this.#match(TEMPLATE_TEXT));
    const hasPlaceholder = this.#source[this.#at] === '$';
    if (hasPlaceholder) this.#placeholders.push(0);
    this.#at += hasPlaceholder ? 2 : 1;
  }

  /** @param {string} character */
  #countBrace(character) {
    const open = this.#placeholders.pop();
    if (open === undefined) return;
    this.#placeholders.push(open + (character === '{' ? 1 : 0) - (character === '}' ? 1 : 0));
  }

  /** @param {RegExp} pattern */
  #match(pattern) {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#source)?.[0].length ?? 0;
  }

  /**
   * @param {SegmentKind} kind
   * @param {number} length
   */
  #add(kind, length) {
    const end = this.#at + length;
    if (this.#at > this.#codeStart)
      this.#segments.push({ kind: 'code', start: this.#codeStart, end: this.#at });
    if (length > 0) this.#segments.push({ kind, start: this.#at, end });
    this.#at = end;
    this.#codeStart = end;
  }
}

/**
 * @param {string} source
 * @returns {Segment[]} in order, without gaps
 */
export const segmentsOf = (source) => new Segmenter(source).run();
