import { TextInput } from '@mantine/core';
import { api, type Schema, refresh } from '../api/client';
import { ActionDialog, type Closing } from './action-dialog';
import { useFields } from './fields';

type Screen = Schema['SaveViewBody']['screen'];

export function SaveViewDialog({ screen, query, onClose }: Closing & { screen: Screen; query: string }) {
  const fields = useFields({ name: '' });
  const save = async () => {
    await api.POST('/admin/saved-views', {}, { screen, ...fields.values, query });
    await refresh(['saved-views', screen]);
  };
  return (
    <ActionDialog
      title="Save this view"
      of={null}
      consequence="Only you see it. A view with the same name is replaced."
      action="Save"
      withReason={false}
      form={fields}
      onConfirm={save}
      onClose={onClose}
    >
      <TextInput label="Name" required maxLength={60} {...fields.text('name')} />
    </ActionDialog>
  );
}
