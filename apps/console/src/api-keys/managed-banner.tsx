import { Group } from '@mantine/core';
import { api } from '../api/client';
import { ActionButton } from '../components/action-dialog';
import { Name } from '../components/name';
import { Banner } from '../components/banner';
import { useMay } from '../api/me';
import type { KeyDialogProps } from './key-change';

/** Says that a file of keys manages a key, and lets an administrator release it. */
export function ManagedBanner(props: Omit<KeyDialogProps, 'onClose'> & { file: string }) {
  const { apiKey, file, onDone } = props;
  const may = useMay();
  const confirm = async (reason: string) => {
    const saved = await api.POST('/admin/api-keys/{key_id}/release', apiKey.id, { reason }, apiKey);
    onDone({ text: 'The key is released.', saved });
  };
  return (
    <Banner
      title={
        <>
          Managed by the file of keys <Name>{file}</Name>
        </>
      }
    >
      <Group justify="space-between">
        <span>
          Its settings and its allow-list are changed there, with greenroom apply. Here it can be disabled,
          enabled and rotated.
        </span>
        {may('keys.release') && (
          <ActionButton
            label="Release…"
            size="xs"
            title="Release the key"
            of={apiKey.name}
            consequence="It stays as it is, and staff can change it again. Remove it from the file as well, or the next apply puts it back under the file."
            action="Release"
            onConfirm={confirm}
          />
        )}
      </Group>
    </Banner>
  );
}
