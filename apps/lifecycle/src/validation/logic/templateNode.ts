import type { Report } from './report.js';

/** The JSON pointer (RFC 6901) of a child. */
function childPointer(pointer: string, key: string | number): string {
  if (typeof key === 'number') return `${pointer}/${key}`;
  return `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A value in a template with its location. Null counts as absent, because many programs write it so. */
export class TemplateNode {
  readonly value: unknown;
  readonly #report: Report;
  readonly #parent: TemplateNode | null;
  readonly #key: string | number;

  private constructor(
    report: Report,
    value: unknown,
    at: { parent: TemplateNode | null; key: string | number },
  ) {
    this.#report = report;
    this.value = value;
    this.#parent = at.parent;
    this.#key = at.key;
  }

  /** The root of a template. */
  static root(report: Report, value: unknown): TemplateNode {
    return new TemplateNode(report, value, { parent: null, key: '' });
  }

  /** Its JSON pointer, computed on demand: most of a template is valid and needs none. */
  get path(): string {
    return this.#parent === null ? '' : childPointer(this.#parent.path, this.#key);
  }

  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  /** Whether it is an object. Reports any other value, unless it is absent. */
  isObject(): boolean {
    if (typeof this.value === 'object' && this.value !== null && !Array.isArray(this.value)) return true;
    if (!this.isAbsent) this.#report.malformed(this.path, 'an object');
    return false;
  }

  /** As {@link isObject}, but also reports an absent value, because it is an entry of a list. */
  isEntry(): boolean {
    if (this.isAbsent) this.#report.malformed(this.path, 'an object');
    return this.isObject();
  }

  /** A field of an object; absent when this is not an object. */
  at(key: string): TemplateNode {
    const fields = this.value;
    const isPresent = typeof fields === 'object' && fields !== null && Object.hasOwn(fields, key);
    const value = isPresent ? (fields as Record<string, unknown>)[key] : undefined;
    return new TemplateNode(this.#report, value, { parent: this, key });
  }

  /** The number of entries of an array; 0 for any other value. */
  get length(): number {
    return Array.isArray(this.value) ? this.value.length : 0;
  }

  /** The entries of an array, one by one; none when it is absent. Reports any other value. */
  *items(): Generator<TemplateNode, void> {
    if (this.isAbsent) return;
    if (!Array.isArray(this.value)) return this.#report.malformed(this.path, 'an array');
    for (const [key, value] of this.value.entries())
      yield new TemplateNode(this.#report, value, { parent: this, key });
  }

  /** Its text; null when it is absent. Reports any other value. */
  text(): string | null {
    if (typeof this.value === 'string') return this.value;
    if (!this.isAbsent) this.#report.malformed(this.path, 'a string');
    return null;
  }

  /** As {@link text}, but reports the parent object when it is absent. */
  requiredText(within: TemplateNode): string | null {
    if (this.isAbsent) this.#report.malformed(within.path, `an object with ${this.#key}`);
    return this.text();
  }
}
