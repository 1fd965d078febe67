import type { ReactNode } from 'react';
import type { Tone } from './status-badge';

/** Something to know about what is on the page. `alert` is read out at once. */
export function Banner({
  tone = 'info',
  title,
  alert = false,
  children,
}: {
  tone?: Tone;
  title?: ReactNode;
  alert?: boolean;
  children?: ReactNode;
}) {
  return (
    <div className="gr-notice" data-tone={tone} role={alert ? 'alert' : 'status'}>
      {title !== undefined && <strong>{title}</strong>}
      {title !== undefined && children !== undefined && <br />}
      {children}
    </div>
  );
}
