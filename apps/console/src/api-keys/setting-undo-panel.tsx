import { Button, Group } from '@mantine/core';
import { useState } from 'react';
import { api, unwrap, type Schema } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { Notice } from '../components/notice';
import { formatNumber, plural, words } from '../components/number';
import { Time } from '../components/time';
import { UndoCountdown } from '../components/undo-countdown';
import { target, type KeyDialogProps, type KeyDone } from './key-change';

type Undo = Schema['SettingUndoResponse'];
type ApiKey = KeyDialogProps['apiKey'];

/** Changes of settings whose undo timer runs: when each is reverted, and how to keep or revert it now. */
export function SettingUndoPanel({
  apiKey,
  mayWrite,
  onDone,
}: {
  apiKey: ApiKey;
  mayWrite: boolean;
  onDone: (done: KeyDone) => void;
}) {
  const [asking, setAsking] = useState<{ undo: Undo; keeps: boolean } | null>(null);
  const pending = apiKey.undo.filter(({ due_at }) => due_at !== null);
  return (
    <>
      {pending.map((undo) => (
        <Notice tone="warn" key={undo.setting}>
          <bdi>{undo.changed_by}</bdi> changed {words(undo.setting)} <Time at={undo.changed_at} relative />.
          Previously: {formerOf(undo)}.
          {undo.due_at && <UndoCountdown at={undo.due_at} queryKey={['api-key', apiKey.id]} />}
          {mayWrite && (
            <Group gap="xs" mt="xs">
              <Button size="compact-sm" onClick={() => setAsking({ undo, keeps: true })}>
                {`Keep the ${words(undo.setting)}…`}
              </Button>
              <Button size="compact-sm" variant="default" onClick={() => setAsking({ undo, keeps: false })}>
                {`Undo the ${words(undo.setting)}…`}
              </Button>
            </Group>
          )}
        </Notice>
      ))}
      {asking && <UndoDialog apiKey={apiKey} {...asking} onDone={onDone} onClose={() => setAsking(null)} />}
    </>
  );
}

function UndoDialog({
  apiKey,
  undo,
  keeps,
  onDone,
  onClose,
}: KeyDialogProps & { undo: Undo; keeps: boolean }) {
  const { path, header } = target(apiKey);
  const confirm = async (reason: string) => {
    const call = { params: { path: { ...path, setting: undo.setting }, header }, body: { reason } };
    const saved = keeps
      ? await unwrap(api.POST('/admin/api-keys/{key_id}/settings/{setting}/keep', call))
      : await unwrap(api.POST('/admin/api-keys/{key_id}/settings/{setting}/undo', call));
    onDone({ text: keeps ? 'The change is kept.' : 'The previous setting applies again.', saved });
  };
  return (
    <ActionDialog
      title={keeps ? 'Keep the change' : 'Undo the change'}
      consequence={
        keeps
          ? 'The setting stays as it is now; the timer is stopped.'
          : `The previous setting is restored: ${formerOf(undo)}. It applies at once, everywhere.`
      }
      action={keeps ? 'Keep it' : 'Undo it'}
      onConfirm={confirm}
      onClose={onClose}
    />
  );
}

/** A former value in words. */
function formerOf({ before }: Undo): string {
  if (before === null || before === undefined) return 'none';
  if (typeof before === 'string') return before === 'all' ? 'everything' : before;
  if (Array.isArray(before)) return plural(before.length, 'permission');
  return typeof before === 'number' ? formatNumber(before) : JSON.stringify(before);
}
