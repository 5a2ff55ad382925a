/**
 * Attributes of Scalar's elements that assistive technology needs and that Scalar omits or gets wrong.
 * `tests/docs.test.ts` runs axe on the page; remove an entry when the test passes without it.
 */
const REPAIRS: readonly { selector: string; repair: (element: Element) => void }[] = [
  { selector: 'button[class*="/copy-button"]:not([aria-label])', repair: label('Copy') },
  {
    // It names an element that exists only while the button is focused.
    selector: 'button[class*="/copy-button"][aria-controls]',
    repair: (button) => button.removeAttribute('aria-controls'),
  },
  {
    selector: 'button[aria-haspopup="menu"]:not([aria-label])',
    repair: (button) => {
      if (button.textContent.trim() === '') button.setAttribute('aria-label', 'Options');
    },
  },
  // Landmarks need names of their own, and an operation has several of these.
  {
    selector: '.response-card[role="region"]',
    repair: (card) => card.setAttribute('role', 'group'),
  },
  // A list item keeps its role; aria-live announces it.
  { selector: 'li[data-sonner-toast][role]', repair: (toast) => toast.removeAttribute('role') },
  { selector: 'button[role="none"]', repair: (button) => button.removeAttribute('role') },
  { selector: '.cm-content:not([aria-label])', repair: label('Body') },
  {
    // It has no list of options while it has no aria-expanded.
    selector: '[role="combobox"]:not([aria-expanded])',
    repair: (input) => input.setAttribute('aria-expanded', 'false'),
  },
  {
    // The accessible name must contain the visible text.
    selector: '.show-more[aria-label^="Show all"]',
    repair: (button) => button.setAttribute('aria-label', `Show More: ${button.getAttribute('aria-label')}`),
  },
  {
    // The page and the request editor each have notifications.
    selector: '.scalar-client > section[aria-label^="Notifications"]',
    repair: label('Notifications of the request editor'),
  },
  {
    // The keyboard must reach a response that scrolls.
    selector: '.cm-scroller[tabindex="-1"]:has(> .cm-content[contenteditable="false"])',
    repair: (scroller) => scroller.setAttribute('tabindex', '0'),
  },
  {
    // The keyboard must reach a list that scrolls.
    selector: 'ul.endpoints:not([tabindex])',
    repair: (list) => list.setAttribute('tabindex', '0'),
  },
];

function label(text: string): (element: Element) => void {
  return (element) => element.setAttribute('aria-label', text);
}

function repairAll(): void {
  for (const { selector, repair } of REPAIRS) document.querySelectorAll(selector).forEach(repair);
  const page = document.querySelector('main.references-rendered');
  // The content behind the request editor takes no focus, and there is one main landmark.
  page?.toggleAttribute('inert', document.querySelector('.scalar-client--open') !== null);
}

/** Repairs the page now, and after each change before the browser paints it. */
export function keepRepaired(): void {
  const observer = new MutationObserver(repairAll);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['class'] });
  repairAll();
}
