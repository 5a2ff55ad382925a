/** The code of a screen that could not be loaded, because the server does not respond. */
export class MissingCodeError extends Error {
  constructor(cause: unknown) {
    super('Gatehouse cannot be reached. Check the network connection.', { cause });
  }
}

/**
 * Loads the code of a screen. If the server responds but the code is missing, a later release has replaced
 * it: the router then loads the page again. Without a server that would leave the console for a page of the
 * browser.
 */
export async function loadCode<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const isReachable = await fetch('/console/session', { credentials: 'same-origin' }).then(
      () => true,
      () => false,
    );
    throw isReachable ? error : new MissingCodeError(error);
  }
}
