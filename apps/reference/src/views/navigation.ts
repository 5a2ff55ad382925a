import type { Reference } from '../operations.js';
import { element } from './elements.js';

/** The routes by area, to be opened one area after the other. */
export function renderNavigation({ document, operations }: Reference): HTMLElement[] {
  return document.tags.map(({ name }) => {
    const links = operations
      .filter(({ tags }) => tags.includes(name))
      .map(({ operationId, method, summary }) => {
        const label = [element('span', { class: 'method' }, [method]), summary];
        return element('li', {}, [element('a', { href: `#${operationId}` }, label)]);
      });
    return element('details', {}, [element('summary', {}, [name]), element('ul', {}, links)]);
  });
}

/** Marks the link to what is shown, opens its area and brings it into view. */
export function markCurrent(navigation: HTMLElement, target: string): void {
  navigation.querySelector('[aria-current]')?.removeAttribute('aria-current');
  const link = navigation.querySelector<HTMLAnchorElement>(`a[href="#${CSS.escape(target)}"]`);
  if (!link) return;
  link.setAttribute('aria-current', 'page');
  link.closest('details')?.setAttribute('open', '');
  link.scrollIntoView({ block: 'nearest' });
}
