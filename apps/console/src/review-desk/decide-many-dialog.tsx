import { RECORDING_GRADES, type RecordingGrade } from '@app/domain/reviews/review-state';
import { TextInput } from '@mantine/core';
import { Choice, useFields } from '../components/fields';
import { useState } from 'react';
import { api } from '../api/client';
import { ActionDialog, type Doing } from '../components/action-dialog';
import { plural } from '../components/number';

/** One decision on several items of the desk. */
export function DecideManyDialog({ itemIds, onDone, onClose }: Doing<string> & { itemIds: string[] }) {
  const [grade, setGrade] = useState('');
  const fields = useFields({ public_reason: '' });
  const decide = async (reason: string) => {
    const body = {
      item_ids: itemIds,
      grade: (grade || null) as RecordingGrade | null,
      public_reason: fields.values.public_reason.trim() || undefined,
      reason,
    };
    await api.POST('/admin/review-desk/decide-many', {}, body);
    onDone(`Decided on ${plural(itemIds.length, 'voice')}. Press u to undo it, all of it.`);
  };
  return (
    <ActionDialog
      title="Decide"
      of={plural(itemIds.length, 'voice')}
      consequence="All of them or none. It does not count as listening, and can be undone for ten minutes."
      action="Decide"
      form={fields}
      onConfirm={decide}
      onClose={onClose}
    >
      <Choice
        label="Grade"
        value={grade}
        onPick={setGrade}
        data={[{ value: '', label: 'Each keeps its own' }, ...RECORDING_GRADES]}
      />
      <TextInput
        label="What the customers read"
        description="Optional. Customers do not see your reason below."
        {...fields.text('public_reason')}
      />
    </ActionDialog>
  );
}
