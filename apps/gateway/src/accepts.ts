const EXCLUDED = /^q=0(?:\.0*)?$/;

/**
 * Returns true if an `Accept` header names a media type explicitly. Wildcards do not count: they request
 * no special form.
 *
 * @param type the media type in lower case
 */
export function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((range) => {
    const [name, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return name === type && !parameters.some((parameter) => EXCLUDED.test(parameter));
  });
}
