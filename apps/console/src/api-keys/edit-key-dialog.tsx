import { Choice } from '../components/choice';
import { useState } from 'react';
import { api } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { useEdited } from '../components/use-edited';
import { UNDO_CHOICES } from '../components/undo-countdown';
import { describeKey, type KeyDialogProps } from './key-change';
import { EDITED_FIELDS, keyField } from '@app/domain/keys/key-fields';
import { KEY_INPUTS, KeyInputs, useKeyFields } from './key-inputs';
import { SettingsDryRun } from './settings-dry-run';

const NOT_UNDONE = EDITED_FIELDS.filter((name) => !keyField(name).undone)
  .map((name) => keyField(name).label.toLowerCase())
  .join(', ');

/** Changes the settings of a key. When another change came first, shows what it has changed. */
export function EditKeyDialog({ apiKey, onDone, onClose }: KeyDialogProps) {
  const edited = useEdited(apiKey, describeKey);
  const settings = useKeyFields(edited.begun);
  const [undo, setUndo] = useState('');
  const edit = async (reason: string) => {
    const undo_after_minutes = undo === '' ? null : Number(undo);
    const body = { ...settings.changed, reason, undo_after_minutes };
    const call = api.PATCH('/admin/api-keys/{key_id}', edited.base.id, body, edited.base);
    const saved = await call.catch(edited.keep);
    onDone({ text: 'The key has been saved.', saved });
  };
  return (
    <ActionDialog
      title="Edit the key"
      of={apiKey.name}
      consequence="The settings apply from the next request on."
      action="Save"
      fields={KEY_INPUTS}
      edited={edited}
      onConfirm={edit}
      onClose={onClose}
    >
      <KeyInputs settings={settings} problem={edited.problem} />
      <SettingsDryRun keyId={apiKey.id} settings={settings} />
      <Choice
        label="Undo automatically"
        description={`Everything but ${NOT_UNDONE}. Protects against locking out the customer.`}
        data={UNDO_CHOICES}
        value={undo}
        onPick={setUndo}
      />
    </ActionDialog>
  );
}
