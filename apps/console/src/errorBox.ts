import { ApiError } from './api.js';
import { element } from './dom.js';

/** Shows what went wrong above all else in the place, with what an operator needs to find it in the log. */
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
  // What fetch says when no answer comes differs from browser to browser.
  if (error instanceof TypeError) return 'The server did not answer.';
  return error instanceof Error ? error.message : String(error);
}
