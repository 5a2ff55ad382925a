import { Badge, Button, createTheme, Drawer, Menu, Modal, Notification, Tooltip } from '@mantine/core';

const dialog = {
  // Locking the scroll inserts a style element, which the content security policy rejects.
  defaultProps: {
    lockScroll: false,
    closeButtonProps: { 'aria-label': 'Close' },
    // The element is the banner of a page otherwise, of which there may be one.
    attributes: { header: { role: 'none' } },
  },
  // The name of a record may be one long word.
  styles: { title: { overflowWrap: 'anywhere' } },
} as const;

/** Properties of components. The variables of colours and fonts are in `theme.css`. */
export const theme = createTheme({
  primaryColor: 'indigo',
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  fontFamily: 'var(--mantine-font-family)',
  components: {
    Modal: Modal.extend(dialog),
    Drawer: Drawer.extend(dialog),
    Notification: Notification.extend({ defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } }),
    Badge: Badge.extend({ defaultProps: { variant: 'light', radius: 'sm', tt: 'none', fw: 500 } }),
    Button: Button.extend({ defaultProps: { size: 'sm' } }),
    Menu: Menu.extend({ defaultProps: { shadow: 'md', position: 'bottom-end', returnFocus: true } }),
    Tooltip: Tooltip.extend({ defaultProps: { openDelay: 300 } }),
  },
});
