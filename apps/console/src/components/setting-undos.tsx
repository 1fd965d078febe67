import type { QueryKey } from '@tanstack/react-query';
import { formatNumber, humanize, plural } from './number';
import { UndoNotice, type UndoAction } from './undo-banner';

/** What a setting was before its last change, and when it is reverted. */
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
  /** What was changed, by its name. */
  of: string | null;
  /** What a setting was that had no value. */
  none?: string;
  queryKey: QueryKey;
  mayWrite: boolean;
  /** Sends the decision; `text` says what is true afterwards. */
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
