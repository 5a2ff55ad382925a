/** Digits that every double reproduces, without an exponent. */
const ALWAYS_EXACT_LENGTH = 15;
const ZERO = 0x30;
const NINE = 0x39;

/** The strings and numbers of a JSON text: matching strings keeps numbers inside them from matching. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\[^])*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * A decimal: its significant digits without zeros around them, and the power of ten of the first. Zero has no
 * digits.
 */
interface Decimal {
  digits: string;
  power: number;
}

/**
 * Whether a double represents the decimal value of a JSON number: the shortest decimal of the double is
 * exactly that value. `9007199254740993`, `1e400` and `0.12345678901234567890123` are not exact.
 */
export function isExactNumber(literal: string): boolean {
  const hasExponent = literal.includes('e') || literal.includes('E');
  if (literal.length <= ALWAYS_EXACT_LENGTH && !hasExponent) return true;
  const written = decimalOf(literal);
  const value = Number(literal);
  if (!Number.isFinite(value)) return written.digits === '';
  const held = decimalOf(String(value));
  return written.digits === held.digits && (written.digits === '' || written.power === held.power);
}

/** The first number of a valid JSON text that is not exact; null if all are. */
export function findInexactNumber(text: string): string | null {
  for (const [token] of text.matchAll(STRING_OR_NUMBER)) {
    if (!token.startsWith('"') && !isExactNumber(token)) return token;
  }
  return null;
}

/** Reads the literal once from left to right: a body may hold a number of a million digits. */
function decimalOf(literal: string): Decimal {
  const exponentAt = literal.search(/[eE]/);
  const mantissa = exponentAt < 0 ? literal : literal.slice(0, exponentAt);
  const pointAt = mantissa.indexOf('.');
  const point = pointAt < 0 ? mantissa.length : pointAt;
  let first = -1;
  let last = -1;
  for (let at = 0; at < mantissa.length; at += 1) {
    const unit = mantissa.charCodeAt(at);
    if (unit <= ZERO || unit > NINE) continue;
    if (first < 0) first = at;
    last = at;
  }
  if (first < 0) return { digits: '', power: 0 };
  const digits = mantissa.slice(first, last + 1).replace('.', '');
  const exponent = exponentAt < 0 ? 0 : Number(literal.slice(exponentAt + 1));
  // The place of the first digit before the point counts from zero, after it from minus one.
  return { digits, power: exponent + (first < point ? point - first - 1 : point - first) };
}
