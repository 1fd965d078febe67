import type { ReactNode } from 'react';

export type Tone = 'good' | 'warn' | 'bad' | 'calm' | 'info';

/** A state in a word. The word says it all; the colour only helps. */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`gr-badge gr-${tone}`}>{children}</span>;
}
