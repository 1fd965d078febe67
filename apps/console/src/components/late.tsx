import { Suspense, useState, type ReactNode } from 'react';

/**
 * A menu whose body is fetched beside the first screen, not before it. Until it has arrived its button stands there; a click
 * on that opens the menu as soon as it can.
 *
 *     <Late button={(open) => <Button onClick={open}>Columns</Button>}>
 *       {(opened) => <LazyMenu defaultOpened={opened} />}
 *     </Late>
 */
export function Late({
  button,
  children,
}: {
  button: (open: () => void) => ReactNode;
  children: (opened: boolean) => ReactNode;
}) {
  const [opened, setOpened] = useState(false);
  return <Suspense fallback={button(() => setOpened(true))}>{children(opened)}</Suspense>;
}
