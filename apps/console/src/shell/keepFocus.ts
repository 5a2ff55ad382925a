/** Where the focus was on the screen, outside of dialogs, menus and notifications. */
interface Place {
  element: HTMLElement;
  /** What has the row or list item that contains it, and the number of that there. */
  rows: Element | null;
  index: number;
  /** Which of the focusable elements of the row it is. */
  nth: number;
}

const ROW = '[data-index], tr, li';
const CONTROLS = 'a[href], button, input, select';
/** Dialogs and menus return the focus themselves, a few milliseconds after they close. */
const RETURN_MS = 50;

const isNowhere = () => document.activeElement === null || document.activeElement === document.body;

function canTakeFocus(element: HTMLElement | null | undefined): element is HTMLElement {
  return element?.isConnected === true && !element.matches(':disabled') && element.checkVisibility();
}

/** The number of a row: that of the record in a virtual list, or its place among its siblings. */
function indexOf(row: Element): number {
  const index = Number((row as HTMLElement).dataset['index'] ?? Number.NaN);
  return Number.isNaN(index) ? [...(row.parentElement?.children ?? [])].indexOf(row) : index;
}

function placeOf(element: HTMLElement): Place {
  const row = element.closest<HTMLElement>(ROW);
  if (row === null) return { element, rows: null, index: 0, nth: 0 };
  const nth = [...row.querySelectorAll(CONTROLS)].indexOf(element);
  return { element, rows: row.parentElement, index: indexOf(row), nth };
}

/** The same element of the row that is now where the former one was, or of the nearest one. */
function successorOf({ rows, index, nth }: Place): HTMLElement | undefined {
  if (!rows?.isConnected) return undefined;
  const distance = (row: Element) => Math.abs(indexOf(row) - index);
  const [next] = [...rows.children].toSorted((one, other) => distance(one) - distance(other));
  const controls = next?.querySelectorAll<HTMLElement>(CONTROLS);
  return controls?.[nth] ?? controls?.[0];
}

/** Where the focus belongs: an open dialog, where it was, the row that took that place, or the title. */
function destination(place: Place | null): HTMLElement | undefined {
  const dialog = [...document.querySelectorAll<HTMLElement>('[aria-modal="true"]')].at(-1);
  if (dialog !== undefined) return dialog;
  const choices = [
    place?.element,
    place && successorOf(place),
    document.querySelector<HTMLElement>('main h1'),
    document.querySelector<HTMLElement>('main'),
  ];
  return choices.find((choice) => canTakeFocus(choice)) ?? undefined;
}

/**
 * Keeps the focus on the page when the element that has it is removed or disabled: a dialog that closes, the
 * row of a deleted record, a button that waits for its request. Otherwise it would return to the start of the
 * document, and a person without a mouse would lose the place.
 *
 * @param page what contains the screens; dialogs, menus and notifications are outside of it
 * @returns a function that ends this
 */
export function keepFocus(page: HTMLElement): () => void {
  let last: HTMLElement | null = null;
  let place: Place | null = null;
  let isWaiting = false;
  let timer = 0;
  const note = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement)) return;
    last = target;
    isWaiting = false;
    if (page.contains(target)) place = placeOf(target);
  };
  // A person who clicks beside everything leaves the element on purpose.
  const leave = ({ target }: FocusEvent) => {
    if (target instanceof HTMLElement)
      setTimeout(() => {
        if (isNowhere() && target === last && canTakeFocus(target)) last = null;
      });
  };
  const restore = () => {
    timer = 0;
    if (isNowhere() && last !== null) destination(place)?.focus({ preventScroll: true });
  };
  const check = () => {
    if (last === null) return;
    if (!last.isConnected && isNowhere()) timer ||= window.setTimeout(restore, RETURN_MS);
    // A disabled element loses the focus later, when the page is drawn.
    if (last.matches(':disabled')) isWaiting = true;
    else if (isWaiting && isNowhere() && canTakeFocus(last)) last.focus({ preventScroll: true });
  };
  const observer = new MutationObserver(check);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  document.addEventListener('focusin', note);
  document.addEventListener('focusout', leave);
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    document.removeEventListener('focusin', note);
    document.removeEventListener('focusout', leave);
  };
}
