import { Button, Group, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { api, type Schema, refresh } from '../api/client';
import type { Closing } from './action-dialog';
import { Dialog } from './dialog';
import { ProblemBanner } from './banner';
import { useFields } from './use-fields';

type Screen = Schema['SaveViewBody']['screen'];

/** Gives a view its name. */
export function SaveViewDialog({ screen, query, onClose }: Closing & { screen: Screen; query: string }) {
  const fields = useFields({ name: '' });
  const { name } = fields.values;
  const save = useMutation({
    mutationFn: () => api.POST('/admin/saved-views', {}, { screen, name, query }),
    onSuccess: async () => {
      await refresh(['saved-views', screen]);
      onClose();
    },
  });
  return (
    <Dialog title="Save this view" of={null} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <TextInput
          label="Name"
          description="Only you see it. A view with the same name is replaced."
          required
          maxLength={60}
          {...fields.text('name', save.error)}
        />
        <ProblemBanner error={save.error} fields={['name']} />
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
