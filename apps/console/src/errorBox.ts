import { ApiError } from './api.js';
import { element } from './dom.js';

/**
 * Shows an error at the top of the element, with the request id that an operator needs to find it in the log.
 */
export function showError(place: HTMLElement, error: unknown): void {
  place.querySelector(':scope > [role=alert]')?.remove();
  const box = element('div', { role: 'alert', class: 'error' });
  place.prepend(box);
  if (!(error instanceof ApiError)) {
    box.append(element('p', {}, describe(error)));
    return;
  }
  box.append(
    element('p', {}, element('strong', {}, error.code), ` ${error.message}`),
    error.fieldErrors.length === 0
      ? ''
      : element(
          'ul',
          {},
          ...error.fieldErrors.map(({ field, message }) => element('li', {}, `${field} ${message}`)),
        ),
    error.requestId === null ? '' : element('p', { class: 'request' }, `Request ${error.requestId}`),
  );
}

function describe(error: unknown): string {
  // The message of `fetch` for a missing response differs between browsers.
  if (error instanceof TypeError) return 'The server did not answer.';
  return error instanceof Error ? error.message : String(error);
}
