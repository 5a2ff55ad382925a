/** Whether an element takes text. An editor is in a shadow root, so the event has another target. */
function takesText(target: EventTarget | undefined): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

/** Whether a key is `/`, outside of text and of dialogs. */
export function isSearchKey(event: KeyboardEvent): boolean {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return false;
  return !takesText(event.composedPath()[0]) && document.querySelector('[aria-modal="true"]') === null;
}
