import type { QueryKey } from '@tanstack/react-query';
import { useEffect } from 'react';
import { countdownText, useCountdown } from './time';
import { queryClient } from '../api/client';

/** When a change is undone, for a select. */
export const UNDO_CHOICES = [
  { value: '', label: 'Never' },
  { value: '5', label: 'After 5 minutes, unless kept' },
  { value: '15', label: 'After 15 minutes, unless kept' },
  { value: '60', label: 'After an hour, unless kept' },
  { value: '1440', label: 'After a day, unless kept' },
];

/** Counts down to the undo of a change; then reads again what it concerns, until the undo is done. */
export function UndoCountdown({ at, queryKey }: { at: string; queryKey: QueryKey }) {
  const secs = useCountdown(at);
  const isOver = secs === 0;
  const key = JSON.stringify(queryKey);
  useEffect(() => {
    if (!isOver) return undefined;
    const refresh = () => void queryClient.invalidateQueries({ queryKey: JSON.parse(key) as QueryKey });
    const timer = setInterval(refresh, 2_000);
    return () => clearInterval(timer);
  }, [isOver, key]);
  return (
    <span>
      {isOver ? (
        'It is being undone now.'
      ) : (
        <>
          It is undone in <strong role="timer">{countdownText(secs)}</strong>, unless a member of staff keeps
          it.
        </>
      )}
    </span>
  );
}
