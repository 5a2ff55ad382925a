const PREFIX = '#sign-in=';

/**
 * Takes the code of a sign-in link out of the address and its history entry, so that it can be neither copied
 * nor reloaded; null if there is none.
 */
export function takeSignInCode(): string | null {
  if (!location.hash.startsWith(PREFIX)) return null;
  const code = location.hash.slice(PREFIX.length);
  history.replaceState(null, '', location.pathname + location.search);
  return code;
}

/**
 * Loads the page again for a sign-in link that is opened in its tab: such a link differs from the address in
 * the fragment alone, for which a browser loads nothing.
 */
export function openLaterLinks(): void {
  addEventListener('hashchange', () => {
    if (location.hash.startsWith(PREFIX)) location.reload();
  });
}
