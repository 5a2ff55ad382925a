/** Parts of files that are written by hand: the lines between two comments follow from the manifest. */

/**
 * Replaces the lines between `# begin <name>` and `# end <name>`, or the same with `//`.
 * @param {string} text
 * @param {string} name
 * @param {string} content its lines are indented like the comments
 * @throws if the text has no such region
 */
function replaceRegion(text, name, content) {
  const begin = new RegExp(`^([ \\t]*)(?:#|//) begin ${name}\\b.*\\n`, 'm').exec(text);
  const from = begin === null ? -1 : begin.index + begin[0].length;
  const rest = text.slice(from);
  const end = new RegExp(`^[ \\t]*(?:#|//) end ${name}$`, 'm').exec(rest);
  if (begin === null || end === null) throw new Error(`there is no region "${name}"`);
  const [, indent = ''] = begin;
  const lines = content.trimEnd().split('\n');
  const indented = lines.map((line) => `${line === '' ? '' : indent + line}\n`).join('');
  return text.slice(0, from) + indented + rest.slice(end.index);
}

/**
 * A file with such regions.
 * @param {string} file
 * @param {Record<string, string>} regions content by name
 */
export function fileWithRegions(file, regions) {
  return {
    file,
    write: (/** @type {string | null} */ present) => {
      if (present === null) throw new Error(`${file} is missing`);
      return Object.entries(regions).reduce(
        (text, [name, content]) => replaceRegion(text, name, content),
        present,
      );
    },
  };
}
