import type { ReactNode } from 'react';

/** The sentence that answers what a screen was opened for; `children` are the numbers behind it. */
export function Answer({ sentence, children }: { sentence: ReactNode; children?: ReactNode }) {
  return (
    <div className="gr-answer" role="status">
      <p>{sentence}</p>
      {children !== undefined && <div className="gr-dimmed">{children}</div>}
    </div>
  );
}
