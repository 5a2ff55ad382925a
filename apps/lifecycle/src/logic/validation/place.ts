import { childPointer } from './pointer.js';
import type { Report } from './report.js';

/** A part of a template and where it is. Null stands for what is absent, as many programs write it. */
export class Place {
  readonly value: unknown;
  readonly #report: Report;
  readonly #parent: Place | null;
  readonly #key: string | number;

  private constructor(report: Report, value: unknown, at: { parent: Place | null; key: string | number }) {
    this.#report = report;
    this.value = value;
    this.#parent = at.parent;
    this.#key = at.key;
  }

  /** The whole of a template. */
  static root(report: Report, value: unknown): Place {
    return new Place(report, value, { parent: null, key: '' });
  }

  /** Its JSON pointer, made when it is asked for: most of a template is valid. */
  get path(): string {
    return this.#parent === null ? '' : childPointer(this.#parent.path, this.#key);
  }

  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  /** Whether it is an object. Reports what is neither that nor absent. */
  isObject(): boolean {
    if (typeof this.value === 'object' && this.value !== null && !Array.isArray(this.value)) return true;
    if (!this.isAbsent) this.#report.malformed(this.path, 'an object');
    return false;
  }

  /** As {@link isObject}; what is absent is reported too, since an entry of a list cannot be. */
  isEntry(): boolean {
    if (this.isAbsent) this.#report.malformed(this.path, 'an object');
    return this.isObject();
  }

  /** A field of an object; absent where this is none. */
  at(key: string): Place {
    const fields = this.value;
    const isThere = typeof fields === 'object' && fields !== null && Object.hasOwn(fields, key);
    const value = isThere ? (fields as Record<string, unknown>)[key] : undefined;
    return new Place(this.#report, value, { parent: this, key });
  }

  /** The entries of an array; none where it is absent or, reported, something else. */
  items(): Place[] {
    if (this.isAbsent) return [];
    if (!Array.isArray(this.value)) {
      this.#report.malformed(this.path, 'an array');
      return [];
    }
    return this.value.map(
      (value: unknown, index) => new Place(this.#report, value, { parent: this, key: index }),
    );
  }

  /** Its text; null where it is absent or, reported, something else. */
  text(): string | null {
    if (typeof this.value === 'string') return this.value;
    if (!this.isAbsent) this.#report.malformed(this.path, 'a string');
    return null;
  }

  /** As {@link text}; where it is absent, the object that lacks it is reported. */
  requiredText(within: Place): string | null {
    if (this.isAbsent) this.#report.malformed(within.path, `an object with ${this.#key}`);
    return this.text();
  }
}
