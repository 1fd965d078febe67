import type { ReactNode } from 'react';

export type Tone = 'good' | 'warn' | 'bad' | 'calm' | 'info';

/** A state in a word, beside a mark whose shape and colour say the same. */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return (
    <span className="gr-status" data-tone={tone}>
      {children}
    </span>
  );
}
