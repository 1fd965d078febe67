import { Button, Group } from '@mantine/core';
import type { QueryKey } from '@tanstack/react-query';
import { useState, type ReactNode, useEffect } from 'react';
import { ActionDialog } from './action-dialog';
import { Banner } from './banner';
import { pad } from './day';
import { Person, Time } from './inline';
import { queryClient } from '../api/client';
import { formatNumber, humanize, plural } from './number';

export type UndoAction = 'keep' | 'undo';

/** A change that can be undone, when its timer does that, and how to keep it or undo it now. */
export function UndoNotice(props: {
  change: { changed_by: string; changed_at: string; due_at: string | null };
  what: string;
  /** What was changed, by its name, and its setting where there may be several such changes. */
  of: string | null;
  setting?: string | null;
  children?: ReactNode;
  stays: string;
  undoes: ReactNode;
  queryKey: QueryKey;
  mayWrite: boolean;
  onDecide: (action: UndoAction, reason: string) => Promise<void>;
}) {
  const { change, what, of, setting = null, children, stays, undoes, queryKey, mayWrite, onDecide } = props;
  const { changed_by: by, changed_at: at, due_at: dueAt } = change;
  const [action, setAction] = useState<UndoAction | null>(null);
  const keeps = action === 'keep';
  return (
    <Banner tone="calm">
      <Group justify="space-between" gap="xs">
        <span>
          <Person by={by} /> {what} <Time at={at} relative />. {children}{' '}
          {dueAt && <UndoCountdown at={dueAt} queryKey={queryKey} />}
        </span>
        {mayWrite && (
          <Group gap="xs">
            {dueAt && (
              <Button size="compact-sm" variant="default" onClick={() => setAction('keep')}>
                {setting === null ? 'Keep the change…' : `Keep the ${setting}…`}
              </Button>
            )}
            <Button size="compact-sm" variant="default" onClick={() => setAction('undo')}>
              {setting === null ? 'Undo it now…' : `Undo the ${setting}…`}
            </Button>
          </Group>
        )}
      </Group>
      {action !== null && (
        <ActionDialog
          title={keeps ? 'Keep the change' : 'Undo the change'}
          of={of}
          consequence={keeps ? `${stays}; the timer is stopped.` : undoes}
          action={keeps ? 'Keep it' : 'Undo it'}
          onConfirm={(reason) => onDecide(action, reason)}
          onClose={() => setAction(null)}
        />
      )}
    </Banner>
  );
}

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

interface SettingUndo<Setting extends string> {
  setting: Setting;
  before?: unknown;
  changed_by: string;
  changed_at: string;
  due_at: string | null;
}

/** Changes of settings whose undo timer runs: when each is reverted, and how to keep or revert it now. */
export function SettingUndos<Setting extends string>(props: {
  undos: readonly SettingUndo<Setting>[];
  of: string | null;
  none?: string;
  queryKey: QueryKey;
  mayWrite: boolean;
  onDecide: (
    setting: Setting,
    decision: { action: UndoAction; reason: string; text: string },
  ) => Promise<void>;
}) {
  const { undos, of, none = 'none', queryKey, mayWrite, onDecide } = props;
  return undos
    .filter(({ due_at }) => due_at !== null)
    .map((undo) => {
      const name = humanize(undo.setting.replace('_override', ''));
      const former = inWords(undo.before, none);
      return (
        <UndoNotice
          key={undo.setting}
          change={undo}
          what={`changed ${name}`}
          of={of}
          setting={name}
          stays="The setting stays as it is now"
          undoes={`The previous setting is restored: ${former}. It applies at once, everywhere.`}
          queryKey={queryKey}
          mayWrite={mayWrite}
          onDecide={(action, reason) =>
            onDecide(undo.setting, {
              action,
              reason,
              text: action === 'keep' ? 'The change is kept.' : 'The previous setting applies again.',
            })
          }
        >
          Previously: {former}.
        </UndoNotice>
      );
    });
}

function inWords(before: unknown, none: string): string {
  if (before === null || before === undefined) return none;
  if (typeof before === 'string') return before === 'all' ? 'everything' : before;
  if (Array.isArray(before)) return plural(before.length, 'permission');
  return typeof before === 'number' ? formatNumber(before) : JSON.stringify(before);
}

function useCountdown(at: string): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((Date.parse(at) - now) / 1_000));
}

/** `4:05`, or `2 h 04 min` when it is long. */
function countdownText(secs: number): string {
  if (secs >= 3_600) return `${Math.floor(secs / 3_600)} h ${pad(Math.floor((secs % 3_600) / 60))} min`;
  return `${Math.floor(secs / 60)}:${pad(secs % 60)}`;
}
