const REFUSED = /^q=0(?:\.0*)?$/;

/** Whether an `Accept` header names a media type, written in small letters, itself: wildcards do not ask for a special form. */
export function accepts(header: string | undefined, type: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((range) => {
    const [name, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return name === type && !parameters.some((parameter) => REFUSED.test(parameter));
  });
}
