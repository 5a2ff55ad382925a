import { useEffect, useRef, useState } from 'react';

/**
 * Returns the focus to where it was before a dialog was mounted, once the dialog is unmounted and has left it
 * nowhere. A dialog that stays mounted while it is closed needs none.
 *
 * @returns a function that leaves the focus alone, because the dialog leads to another screen
 */
export function useReturnFocus(): () => void {
  const [former] = useState(() => document.activeElement);
  const isLeaving = useRef(false);
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        const isNowhere = document.activeElement === document.body && !isLeaving.current;
        if (isNowhere && former instanceof HTMLElement) former.focus({ preventScroll: true });
      });
    },
    [former],
  );
  return () => {
    isLeaving.current = true;
  };
}
