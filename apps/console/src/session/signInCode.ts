const PREFIX = '#sign-in=';

/**
 * Takes the code of a sign-in link out of the address and its history entry, so that it can be neither copied
 * nor reloaded; null if there is none.
 */
export function takeSignInCode(): string | null {
  if (!location.hash.startsWith(PREFIX)) return null;
  const code = decodeURIComponent(location.hash.slice(PREFIX.length));
  history.replaceState(null, '', location.pathname + location.search);
  return code;
}
