import { randomInt } from 'node:crypto';

const PREFIX = 'kanarie';
const LETTERS = 20;
const CANARY = new RegExp(`${PREFIX}[a-z]{${LETTERS}}`, 'gi');

/** One text that stands in one field of one record, and nowhere else. */
export interface Canary {
  /** Such as `dashboard.title`. */
  field: string;
  /**
   * The path of the record itself: a caller who gets the text there may have it elsewhere. None for a secret.
   */
  readPaths: readonly string[];
  isSecret: boolean;
  organization: string;
}

/** The fields of one record that is about to be made. */
export interface PlantedRecord {
  /** A new text for a field: lowercase letters, which every kind of name may be made of. */
  text(field: string): string;
  /** The same, for texts that no caller may read. */
  secret(field: string): string;
  /** Sets the path of the record, once it exists. */
  readAt(...paths: string[]): void;
}

/** All canaries of a world, by their texts. */
export class Canaries {
  readonly byText = new Map<string, Canary>();

  record(noun: string, organization: string): PlantedRecord {
    const readPaths: string[] = [];
    const plant = (field: string, isSecret: boolean) => {
      const letter = () => String.fromCodePoint(97 + randomInt(26));
      const text = PREFIX + Array.from({ length: LETTERS }, letter).join('');
      const paths = isSecret ? [] : readPaths;
      this.byText.set(text, { field: `${noun}.${field}`, readPaths: paths, isSecret, organization });
      return text;
    };
    return {
      text: (field) => plant(field, false),
      secret: (field) => plant(field, true),
      readAt: (...paths) => void readPaths.push(...paths),
    };
  }

  /** Registers a secret that the platform made itself. */
  addSecret(field: string, organization: string, text: string): void {
    this.byText.set(text, { field, readPaths: [], isSecret: true, organization });
  }

  /** The canaries in a text, each once. */
  findIn(text: string): { text: string; canary: Canary }[] {
    const shaped = new Set((text.match(CANARY) ?? []).map((found) => found.toLowerCase()));
    const made = [...this.byText.keys()].filter((known) => !known.startsWith(PREFIX) && text.includes(known));
    return [...shaped, ...made].flatMap((found) => {
      const canary = this.byText.get(found);
      return canary === undefined ? [] : [{ text: found, canary }];
    });
  }
}
