import { cloneElement, useEffect, useRef, useState, type ReactElement, type ReactNode } from 'react';
import { Part } from './part';

interface Pressed {
  onClick: () => void;
  'aria-haspopup': 'menu' | 'dialog';
  'aria-expanded': boolean;
}

/**
 * A menu that is created at the first click on its button, so that no screen waits for it: then the button is its target, and is
 * pressed as soon as the menu is there.
 *
 *     <Late button={<Button>Columns</Button>}>{(target) => <LazyMenu target={target} />}</Late>
 */
export function Late(props: {
  button: ReactElement<Partial<Pressed>>;
  opens?: Pressed['aria-haspopup'];
  children: (target: ReactElement) => ReactNode;
}) {
  const { button, opens = 'menu', children } = props;
  const [isRequested, setIsRequested] = useState(false);
  const waiting = cloneElement(button, {
    'aria-haspopup': opens,
    'aria-expanded': false,
    onClick: () => setIsRequested(true),
  });
  return isRequested ? (
    <Part waiting={waiting}>
      <Opened>{children(button)}</Opened>
    </Part>
  ) : (
    waiting
  );
}

function Opened({ children }: { children: ReactNode }) {
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const button = body.current?.querySelector('button');
    button?.focus({ preventScroll: true });
    button?.click();
  }, []);
  return (
    <div ref={body} style={{ display: 'contents' }}>
      {children}
    </div>
  );
}
