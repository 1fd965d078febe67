import { Choice } from '../components/choice';
import { defaultOverlapDays, MAX_OVERLAP_DAYS, type RotationCause } from '@app/domain/keys/secret-rotation';
import { useState } from 'react';
import { api, unwrap } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { afterRotation } from '../components/after-change';
import { target, type KeyDialogProps } from './key-change';

const OVERLAPS = [
  { value: '0', label: 'None: the old secret stops at once (after a leak)' },
  { value: '0.0417', label: 'One hour' },
  { value: '1', label: 'One day' },
  { value: '7', label: 'Seven days' },
  { value: String(MAX_OVERLAP_DAYS), label: `${MAX_OVERLAP_DAYS} days` },
];

const CAUSES: { value: RotationCause; label: string }[] = [
  { value: 'scheduled', label: 'No, it is time for a new one' },
  { value: 'leaked', label: 'Yes: the old one stops at once' },
];

const overlapFor = (cause: RotationCause) => String(defaultOverlapDays(cause, ''));

/** Gives a key another secret. */
export function RotateDialog({ apiKey, onDone, onClose }: KeyDialogProps) {
  const [cause, setCause] = useState<RotationCause>('scheduled');
  const [overlap, setOverlap] = useState(overlapFor(cause));
  const choose = (chosen: RotationCause) => {
    setCause(chosen);
    setOverlap(overlapFor(chosen));
  };
  const rotate = async (reason: string) => {
    const body = { overlap_days: Number(overlap), cause, reason };
    const saved = await unwrap(api.POST('/admin/api-keys/{key_id}/rotate', { params: target(apiKey), body }));
    onDone({ text: 'The key has a new secret.', saved, ...afterRotation(saved) });
  };
  return (
    <ActionDialog
      title="Rotate the secret"
      of={apiKey.name}
      consequence={
        overlap === '0'
          ? 'The key gets a new secret, and every older one is refused at once, everywhere.'
          : 'The key gets a new secret. The old one works beside it until the overlap is over; both spend the same credits.'
      }
      action="Rotate"
      danger={overlap === '0'}
      fields={['overlap_days', 'cause']}
      onConfirm={rotate}
      onClose={onClose}
    >
      <Choice label="Has the secret leaked?" data={CAUSES} value={cause} onPick={choose} />
      {cause !== 'leaked' && <Choice label="Overlap" data={OVERLAPS} value={overlap} onPick={setOverlap} />}
    </ActionDialog>
  );
}
