import { api, unwrap, type Schema } from '../api/client';
import { formatNumber, plural, humanize } from '../components/number';
import { UndoNotice, type UndoAction } from '../components/undo-banner';
import { target, type KeyDialogProps } from './key-change';

type Undo = Schema['SettingUndoResponse'];

/** Changes of settings whose undo timer runs: when each is reverted, and how to keep or revert it now. */
export function SettingUndoPanel({
  apiKey,
  mayWrite,
  onDone,
}: Omit<KeyDialogProps, 'onClose'> & { mayWrite: boolean }) {
  const { path, header } = target(apiKey);
  const decide = (setting: Undo['setting']) => async (action: UndoAction, reason: string) => {
    const call = { params: { path: { ...path, setting }, header }, body: { reason } };
    const keeps = action === 'keep';
    const saved = keeps
      ? await unwrap(api.POST('/admin/api-keys/{key_id}/settings/{setting}/keep', call))
      : await unwrap(api.POST('/admin/api-keys/{key_id}/settings/{setting}/undo', call));
    onDone({ text: keeps ? 'The change is kept.' : 'The previous setting applies again.', saved });
  };
  return apiKey.undo
    .filter(({ due_at }) => due_at !== null)
    .map((undo) => (
      <UndoNotice
        key={undo.setting}
        change={undo}
        what={`changed ${humanize(undo.setting)}`}
        of={apiKey.name}
        setting={humanize(undo.setting)}
        stays="The setting stays as it is now"
        undoes={`The previous setting is restored: ${formerOf(undo)}. It applies at once, everywhere.`}
        queryKey={['api-key', apiKey.id]}
        mayWrite={mayWrite}
        onDecide={decide(undo.setting)}
      >
        Previously: {formerOf(undo)}.
      </UndoNotice>
    ));
}

/** A former value in words. */
function formerOf({ before }: Undo): string {
  if (before === null || before === undefined) return 'none';
  if (typeof before === 'string') return before === 'all' ? 'everything' : before;
  if (Array.isArray(before)) return plural(before.length, 'permission');
  return typeof before === 'number' ? formatNumber(before) : JSON.stringify(before);
}
