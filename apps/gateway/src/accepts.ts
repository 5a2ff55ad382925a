const EXCLUDED = /^q=0(?:\.0*)?$/;

/**
 * Returns true if an `Accept` or `Accept-Encoding` header names a value explicitly. Wildcards do not count:
 * they request no special form.
 *
 * @param value the media type or encoding in lower case
 */
export function accepts(header: string | undefined, value: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((range) => {
    const [name, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return name === value && !parameters.some((parameter) => EXCLUDED.test(parameter));
  });
}
