/**
 * Until the browser has painted what has changed so far; 250 ms at most, since a hidden window draws no frame until it is seen.
 *
 * @param onFrame `requestAnimationFrame`
 */
export const painted = (onFrame: (draw: () => void) => unknown) =>
  new Promise<void>((resolve) => {
    onFrame(() => setTimeout(resolve));
    setTimeout(resolve, 250);
  });
