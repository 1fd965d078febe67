import { DRAWN_FOR, UNATTENDED } from '@app/domain/staff/request-marks';

/** Without a touch of mouse or keyboard for this long, what the page requests is polling and no use. */
const ATTENDED_MS = 60_000;
const TOUCHES = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

let drawnFor: string | null = null;
let touchedAt = Date.now();

for (const touch of TOUCHES)
  window.addEventListener(touch, () => (touchedAt = Date.now()), { capture: true, passive: true });

/** Says for whom the page is drawn from now on; null before anyone has signed in. */
export function drawFor(staffId: string | null): void {
  drawnFor = staffId;
}

/** Marks a request with what the server has to know of the page that it comes from. */
export function mark({ headers }: Request): void {
  if (drawnFor !== null) headers.set(DRAWN_FOR, drawnFor);
  if (Date.now() - touchedAt > ATTENDED_MS) headers.set(UNATTENDED, '1');
}
