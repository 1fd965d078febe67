import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react';
import { Part } from './part';

/**
 * A menu that is created at the first click on its button, so that no screen waits for it. Its body has that button as its own,
 * and it is pressed as soon as the body is there.
 *
 *     <Late button={(open) => <Button onClick={open}>Columns</Button>}>
 *       <LazyMenu />
 *     </Late>
 */
export function Late({ button, children }: { button: (open: () => void) => ReactNode; children: ReactNode }) {
  const [isRequested, setIsRequested] = useState(false);
  const body = useRef<HTMLDivElement>(null);
  const waiting = button(() => setIsRequested(true));
  if (!isRequested) return waiting;
  return (
    <Part waiting={waiting}>
      <div ref={body} style={{ display: 'contents' }}>
        {children}
      </div>
      <Press within={body} />
    </Part>
  );
}

function Press({ within }: { within: RefObject<HTMLElement | null> }) {
  useEffect(() => {
    const button = within.current?.querySelector('button');
    button?.focus({ preventScroll: true });
    button?.click();
  }, [within]);
  return null;
}
