import { useState } from 'react';
import { lazyScreen } from '../api/lazy-screen';
import { Part } from './part';
import type { DialogProps } from './dialog-window';

const DialogWindow = lazyScreen(() => import('./dialog-window'), 'DialogWindow');

/**
 * A dialog over the page. Render it only while it is open; what is behind it cannot be reached meanwhile. It asks before
 * Escape or a click beside it discards what was typed, and returns the focus to where it was.
 */
export function Dialog(props: DialogProps) {
  const [origin] = useState(focusedElement);
  return (
    <Part>
      <DialogWindow {...props} origin={origin} />
    </Part>
  );
}

/** The focused element; for an item of a menu, which closes, the button of the menu. */
function focusedElement(): HTMLElement | null {
  const focused = document.activeElement;
  const menu = focused?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  const origin = menu ? document.getElementById(menu) : focused;
  return origin instanceof HTMLElement && origin !== document.body ? origin : null;
}
