import { Modal } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';

/** A dialog over the page. Render it only while it is open; what is behind it cannot be reached meanwhile. */
export function Dialog({
  title,
  wide = false,
  insistent = false,
  onClose,
  children,
}: {
  title: string;
  wide?: boolean;
  /** Stays when the reader clicks beside it. */
  insistent?: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  useEffect(() => {
    const page = document.getElementById('root');
    page?.setAttribute('inert', '');
    return () => page?.removeAttribute('inert');
  }, []);
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={wide ? 'lg' : 'md'}
      closeOnClickOutside={!insistent}
      closeButtonProps={{ 'aria-label': 'Close' }}
      // Its element would be the banner of a page.
      attributes={{ header: { role: 'presentation' } }}
    >
      {children}
    </Modal>
  );
}
