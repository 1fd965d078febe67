/** Until the browser has painted what has changed so far; 250 ms at most, since a hidden window draws no frame until it is seen. */
export const painted = (onFrame: (draw: () => void) => unknown = requestAnimationFrame) =>
  new Promise<void>((resolve) => {
    onFrame(() => setTimeout(resolve));
    setTimeout(resolve, 250);
  });
