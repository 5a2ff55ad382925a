import { ActionIcon, Burger, Drawer } from '@mantine/core';
import { useDisclosure, useHotkeys, useWindowEvent } from '@mantine/hooks';
import { Notifications } from '@mantine/notifications';
import { useRouterState } from '@tanstack/react-router';
import { useEffect, useLayoutEffect, useRef, type ReactNode } from 'react';
import { Icon } from '../components/Icon.js';
import { onDemand, usePreload } from '../components/onDemand.js';
import { isSearchKey } from './searchKey.js';
import { keepFocus } from './keepFocus.js';
import classes from './Layout.module.css';
import type { PaletteProps } from './palette/Palette.js';
import { Sidebar } from './Sidebar.js';

const Palette = onDemand<PaletteProps>(
  async () => (await import('./palette/Palette.js')).Palette,
  () => null,
);

/** The sidebar, the screen and the notices, which cover neither. On a phone the sidebar is a drawer. */
export function Layout({ children }: { children: ReactNode }) {
  const [isMenuOpen, menu] = useDisclosure(false);
  const [isPaletteOpen, palette] = useDisclosure(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const page = useRef<HTMLDivElement>(null);
  const main = useRef<HTMLElement>(null);
  useHotkeys([['mod+K', () => palette.toggle()]], []);
  useWindowEvent('keydown', (event) => {
    if (!isSearchKey(event)) return;
    event.preventDefault();
    const search = main.current?.querySelector<HTMLElement>('[data-search]');
    if (search) search.focus();
    else palette.open();
  });
  // Early, so that no key is lost that is typed right after the shortcut.
  usePreload(Palette);
  useEffect(() => (page.current === null ? undefined : keepFocus(page.current)), []);
  const { close } = menu;
  const former = useRef(path);
  // Before the effects of a screen that is drawn with it, whose title takes the focus from here.
  useLayoutEffect(() => {
    close();
    if (former.current !== path) focusScreen(main.current);
    former.current = path;
  }, [path, close]);
  return (
    <div className={classes['layout']}>
      <div ref={page} className={classes['page']}>
        <a className={classes['skip']} href="#main" onClick={(event) => skip(event, main.current)}>
          Skip to the content
        </a>
        <section className={classes['phoneBar']} aria-label="Top bar">
          <Burger opened={isMenuOpen} onClick={menu.toggle} size="sm" aria-label="Open the navigation" />
          <strong>Gatehouse</strong>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label="Search everything"
            onClick={palette.open}
          >
            <Icon name="search" size={20} />
          </ActionIcon>
        </section>
        <aside className={classes['sidebar']} aria-label="Sidebar">
          <Sidebar onSearch={palette.open} />
        </aside>
        <Drawer opened={isMenuOpen} onClose={menu.close} size={280} title="Gatehouse" padding="xs">
          <Sidebar onSearch={palette.open} />
        </Drawer>
        <main ref={main} id="main" className={classes['main']} tabIndex={-1}>
          {children}
        </main>
        {isPaletteOpen && <Palette onClose={palette.close} />}
      </div>
      <div className={classes['notices']}>
        <Notifications
          position="bottom-left"
          limit={4}
          withinPortal={false}
          notificationMaxHeight={400}
          classNames={{ root: classes['noticeList'] ?? '', notification: classes['notice'] ?? '' }}
        />
      </div>
    </div>
  );
}

/** After a navigation the focus is where the screen will be, unless it is in the sidebar or a dialog. */
function focusScreen(main: HTMLElement | null): void {
  const isInPage = document.activeElement === document.body || main?.contains(document.activeElement);
  if (isInPage) main?.focus({ preventScroll: true });
}

function skip(event: { preventDefault(): void }, main: HTMLElement | null): void {
  event.preventDefault();
  main?.focus();
}
