import { defaultOverlapDays, MAX_OVERLAP_DAYS } from '@app/domain/keys/secret-rotation';
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { api } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { afterRotation } from '../components/after-change';
import { Choice } from '../components/choice';
import type { KeyDialogProps } from './key-change';

const OVERLAPS = [
  { value: '0', label: 'None: the old secret stops at once (after a leak)' },
  { value: '0.0417', label: 'One hour' },
  { value: '1', label: 'One day' },
  { value: '7', label: 'Seven days' },
  { value: String(MAX_OVERLAP_DAYS), label: `${MAX_OVERLAP_DAYS} days` },
];

/** Gives a key another secret. */
export function RotateDialog({ apiKey, onDone, onClose }: KeyDialogProps) {
  const [isLeaked, setLeaked] = useState(false);
  const [overlap, setOverlap] = useState(String(defaultOverlapDays('scheduled', '')));
  const days = isLeaked ? 0 : Number(overlap);
  const rotate = async (reason: string) => {
    const body = { overlap_days: days, cause: isLeaked ? 'leaked' : 'scheduled', reason } as const;
    const saved = await api.POST('/admin/api-keys/{key_id}/rotate', apiKey.id, body, apiKey);
    onDone({ text: 'The key has a new secret.', saved, ...afterRotation(saved) });
  };
  return (
    <ActionDialog
      title="Rotate the secret"
      of={apiKey.name}
      consequence={
        days === 0
          ? 'The key gets a new secret, and every older one is refused at once, everywhere.'
          : 'The key gets a new secret. The old one works beside it until the overlap is over; both spend the same credits.'
      }
      action="Rotate"
      danger={days === 0}
      fields={['overlap_days', 'cause']}
      onConfirm={rotate}
      onClose={onClose}
    >
      <LeakedBox isLeaked={isLeaked} onChange={setLeaked} />
      {!isLeaked && <Choice label="Overlap" data={OVERLAPS} value={overlap} onPick={setOverlap} />}
    </ActionDialog>
  );
}

/** What comes first when the secret of a key is changed or stopped. */
export function LeakedBox({
  isLeaked,
  onChange,
}: {
  isLeaked: boolean;
  onChange: (isLeaked: boolean) => void;
}) {
  return (
    <Checkbox
      label="The secret has leaked"
      checked={isLeaked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
