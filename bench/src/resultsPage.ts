const HEADING = /^## .+$/m;

/** A section of the page of results, from its heading to the next one. */
function headingOf(section: string): string {
  const [heading] = HEADING.exec(section) ?? [];
  if (heading === undefined) throw new Error('A section of results has no heading');
  return heading;
}

/** Adds to a section when it was measured. `date` is a date of ISO 8601, without a time. */
export function dated(section: string, date: string): string {
  const heading = headingOf(section);
  return section.replace(heading, () => `${heading}\n\nMeasured on ${date}.`);
}

/** Returns the page of results with a section in place of its former one, or at the end. */
export function withSection(page: string, section: string): string {
  const heading = headingOf(section);
  const start = `\n${page}`.indexOf(`\n${heading}\n`);
  if (start < 0) return `${page.trimEnd()}\n\n${section.trim()}\n`;
  const rest = page.slice(start + heading.length);
  const next = rest.search(/\n## /);
  const after = next < 0 ? '' : rest.slice(next);
  return `${page.slice(0, start)}${section.trim()}\n${after}`;
}
