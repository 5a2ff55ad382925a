/**
 * Text as it is compared without regard to case. Upper case unfolds what has no single lower case
 * partner (`ß` and `SS`), and leaves alone what has a small letter of its own (`ẞ`), hence lower case before it as well; the
 * last form of sigma depends on its neighbours, so a substring needs the other one.
 */
export function foldText(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .normalize('NFC');
}

/** Stands between title and description. No text that a caller can store or search holds it. */
const BOUNDARY = '\0';

/** What a search looks into. */
export function searchTextOf({ title, description }: { title: string; description: string }): string {
  return foldText(title) + BOUNDARY + foldText(description);
}

const SPECIAL = /[\\^$.*+?()[\]{}|]/g;

/** A pattern that matches exactly the folded search text: a search is data, so every character stands for itself. */
export function searchPatternOf(search: string): string {
  return foldText(search).replace(SPECIAL, String.raw`\$&`);
}
