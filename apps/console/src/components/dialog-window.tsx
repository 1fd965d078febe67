import { Button, Group, Modal } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Banner } from './banner';
import { queryClient } from '../api/client';
import { Name } from './inline';

export interface DialogProps {
  title: string;
  /** What it does that to, by its name; null where that has none yet, or is the session of the reader. */
  of: string | null;
  wide?: boolean;
  insistent?: boolean;
  /** Closes without a question: what is typed here is worth nothing afterwards. */
  discards?: boolean;
  onClose: () => void;
  children: ReactNode;
}

/** Dialogs that are open: the page stays out of reach until the last one has closed. */
let open = 0;

/** The window of a dialog, in a separate file: no screen needs it before a click. */
export function DialogWindow(props: DialogProps & { origin: HTMLElement | null }) {
  const { title, of, wide = false, insistent = false, discards = false, origin, onClose, children } = props;
  const [isAsking, setIsAsking] = useState(false);
  const isTouched = useRef(false);
  const blocker = useBlocker({
    // The page is out of reach: what goes forward from here is what the dialog has done.
    shouldBlockFn: ({ action }) =>
      action !== 'PUSH' && action !== 'REPLACE' && (isTouched.current || queryClient.isMutating() > 0),
    enableBeforeUnload: () => isTouched.current || queryClient.isMutating() > 0,
    withResolver: true,
  });
  const isLeaving = blocker.status === 'blocked';
  const hidePage = useHiddenPage(origin);
  const close = () => {
    if (!isTouched.current) onClose();
    else setIsAsking(!isAsking);
  };
  return (
    <Modal
      opened
      onClose={close}
      title={
        of === null ? (
          title
        ) : (
          <>
            {title}: <Name>{of}</Name>
          </>
        )
      }
      size={wide ? 'lg' : 'md'}
      closeOnClickOutside={!insistent}
      closeButtonProps={{ 'aria-label': 'Close' }}
      // Its element would be the banner of a page.
      attributes={{ header: { role: 'presentation' } }}
      onFocus={hidePage}
      onInput={() => {
        isTouched.current = !discards;
      }}
    >
      {isAsking && <DiscardConfirmation onDiscard={onClose} onKeep={() => setIsAsking(false)} />}
      {isLeaving && <DiscardConfirmation onDiscard={blocker.proceed} onKeep={blocker.reset} />}
      <div ref={markFirstEmpty}>{children}</div>
    </Modal>
  );
}

/**
 * Marks where typing begins: in the first empty field, or where all are filled in, at the button that changes nothing. A
 * placeholder of an optional field is its default.
 */
function markFirstEmpty(dialog: HTMLElement | null): void {
  if (!dialog || dialog.querySelector('[data-autofocus]')) return;
  const fields = dialog.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    'textarea, input:not([type=checkbox], [type=radio])',
  );
  const first = [...fields].find(
    (field) => field.value === '' && (field.required || field.placeholder === ''),
  );
  (first ?? dialog.querySelector('.gr-dialog-buttons button'))?.setAttribute('data-autofocus', 'true');
}

function DiscardConfirmation({ onDiscard, onKeep }: { onDiscard: () => void; onKeep: () => void }) {
  return (
    <div style={{ marginBottom: 12 }}>
      <Banner tone="warn" alert title="Discard what you have typed?">
        <Group gap="xs" mt="xs">
          <Button size="compact-sm" autoFocus onClick={onKeep}>
            Keep typing
          </Button>
          <Button size="compact-sm" variant="default" onClick={onDiscard}>
            Discard
          </Button>
        </Group>
      </Banner>
    </div>
  );
}

/**
 * Keeps the page behind from being read once the focus is in the dialog, whose overlay and focus trap keep it from being used,
 * and gives the focus back to what opened it. `inert` would have the browser style the whole page again, twice for a dialog.
 *
 * @returns what to do when the focus comes into the dialog
 */
function useHiddenPage(origin: HTMLElement | null): () => void {
  useEffect(() => {
    open += 1;
    return () => {
      open -= 1;
      if (open === 0) page()?.removeAttribute('aria-hidden');
      // What opened it may be gone with what it has done.
      setTimeout(() => {
        const target = origin?.isConnected ? origin : document.getElementById('main');
        if (document.activeElement === document.body) target?.focus({ preventScroll: true });
      });
    };
  }, [origin]);
  return () => page()?.setAttribute('aria-hidden', 'true');
}

const page = () => document.getElementById('root');
