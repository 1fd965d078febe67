import { NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { api, unwrap } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { toProblem } from '../api/problem';
import { Notice } from '../components/notice';
import { UNDO_CHOICES } from '../components/undo-countdown';
import { target, type KeyDialogProps } from './key-change';
import { KEY_FIELDS, KeyInputs, useKeyFields } from './key-inputs';
import { describeChanges } from './key-differences';
import { SettingsDryRun } from './settings-dry-run';

/** Changes the settings of a key. When another change came first, shows what it has changed. */
export function EditKeyDialog({ apiKey, onDone, onClose }: KeyDialogProps) {
  const [begun] = useState(apiKey);
  const settings = useKeyFields(begun);
  const [undo, setUndo] = useState('');
  const [problem, setProblem] = useState<unknown>(null);
  const edit = async (reason: string) => {
    const call = unwrap(
      api.PATCH('/admin/api-keys/{key_id}', {
        params: target(apiKey),
        body: { ...settings.body, reason, undo_after_minutes: undo === '' ? null : Number(undo) },
      }),
    );
    const saved = await call.catch((error: unknown) => {
      setProblem(error);
      throw error;
    });
    onDone({ text: 'The key has been saved.', saved });
  };
  const theirs = problem !== null && toProblem(problem).status === 412 ? describeChanges(begun, apiKey) : [];
  return (
    <ActionDialog
      title="Edit the key"
      consequence="The settings apply from the next request on."
      action="Save"
      fields={KEY_FIELDS}
      onConfirm={edit}
      onClose={onClose}
    >
      <KeyInputs settings={settings} problem={problem} />
      <SettingsDryRun keyId={apiKey.id} settings={settings} />
      <NativeSelect
        label="Undo automatically"
        description="Everything but the name. Protects against locking out the customer."
        data={UNDO_CHOICES}
        value={undo}
        onChange={(event) => setUndo(event.currentTarget.value)}
      />
      {theirs.length > 0 && (
        <Notice tone="warn" title="Changed by another person since you opened this:">
          <ul>
            {theirs.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Notice>
      )}
    </ActionDialog>
  );
}
