import { DISABLE_REASONS, type DisableReason } from '@app/domain/keys/disable-reasons';
import { DELETED_KEY_DAYS } from '@app/domain/keys/key-status';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { EDITED_FIELDS, keyField } from '@app/domain/keys/key-fields';
import { defaultOverlapDays, MAX_OVERLAP_DAYS } from '@app/domain/keys/secret-rotation';
import { Checkbox } from '@mantine/core';
import { Choice, useEdited, toNumber } from '../components/fields';
import { api, type Schema, assume } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { humanize } from '../components/number';
import { ActionsMenu } from '../components/actions-menu';
import { useRequestedAction } from '../components/use-requested-action';
import { afterDisabling, afterRotation } from '../components/after-change';
import { type KeyDialogProps, type KeyDone, describeKey } from './key-change';
import { UNDO_CHOICES } from '../components/undo-banner';
import { KEY_INPUTS, KeyInputs, useKeyFields } from './key-inputs';
import { SettingsDryRun } from './settings-dry-run';

type Detail = Schema['ApiKeyDetailResponse'];
type Action = 'edit' | 'rotate' | 'disable' | 'enable' | 'delete' | 'restore';

const DIALOGS = {
  edit: EditKeyDialog,
  rotate: RotateDialog,
  disable: DisableDialog,
  enable: EnableDialog,
  delete: DeleteDialog,
  restore: RestoreDialog,
};

export function KeyActions({ apiKey, onDone }: { apiKey: Detail; onDone: (done: KeyDone) => void }) {
  const [action, setAction, begin] = useRequestedAction<Action>();
  const Dialog = action && DIALOGS[action];
  const isClosed = apiKey.account.status === 'closed';
  const isManaged = apiKey.managed_by !== null;
  return (
    <>
      <ActionsMenu
        variant="filled"
        actions={
          apiKey.status === 'deleted'
            ? [['restore', 'Restore…', isClosed]]
            : [
                ['edit', 'Edit…', isClosed || isManaged],
                ['rotate', 'Rotate the secret…', isClosed],
                apiKey.status === 'disabled' ? ['enable', 'Enable…'] : ['disable', 'Disable…'],
                ['delete', 'Delete…', isManaged],
              ]
        }
        onPick={setAction}
      />
      {Dialog && <Dialog {...{ apiKey, begin, onDone }} onClose={() => setAction(null)} />}
    </>
  );
}

/** An account that does not work keeps its keys from working. */
const assumeStatus = ({ id, account }: Detail, status: 'enabled' | 'disabled') =>
  assume<Detail>(['api-key', id], {
    status,
    ...((status === 'disabled' || account.status === 'active') && { effective_status: status }),
  });

const LEAKED = 'exposed_publicly';
const OTHER_REASONS = DISABLE_REASONS.filter((reason) => reason !== LEAKED);

function DisableDialog({ apiKey, onDone, onClose }: KeyDialogProps) {
  const [isLeaked, setLeaked] = useState(false);
  const [why, setWhy] = useState<DisableReason>('requested_by_customer');
  const disable = async (reason: string) => {
    const body = { disable_reason: isLeaked ? LEAKED : why, reason };
    const saved = await api.POST('/admin/api-keys/{key_id}/disable', apiKey.id, body, apiKey);
    onDone({ text: 'The key is disabled.', saved, ...afterDisabling(saved) });
  };
  return (
    <ActionDialog
      title="Disable the key"
      of={apiKey.name}
      consequence="Programs that use it are refused at once, everywhere, with the response for an invalid key. It can be enabled again."
      action="Disable"
      danger
      fields={['disable_reason']}
      assume={() => assumeStatus(apiKey, 'disabled')}
      onConfirm={disable}
      onClose={onClose}
    >
      <LeakedBox isLeaked={isLeaked} onChange={setLeaked} />
      {!isLeaked && (
        <Choice
          label="Disabled because"
          value={why}
          onPick={setWhy}
          data={OTHER_REASONS.map((value) => ({ value, label: humanize(value) }))}
        />
      )}
    </ActionDialog>
  );
}

function EnableDialog({ apiKey, onDone, onClose }: KeyDialogProps) {
  const enable = async (reason: string) => {
    const saved = await api.POST('/admin/api-keys/{key_id}/enable', apiKey.id, { reason }, apiKey);
    onDone({ text: 'The key is enabled.', saved });
  };
  return (
    <ActionDialog
      title="Enable the key"
      of={apiKey.name}
      consequence="Programs that still use it are let in again at once."
      action="Enable"
      assume={() => assumeStatus(apiKey, 'enabled')}
      onConfirm={enable}
      onClose={onClose}
    />
  );
}

function DeleteDialog({ apiKey, onClose }: KeyDialogProps) {
  const navigate = useNavigate();
  const remove = async (reason: string) => {
    await api.DELETE('/admin/api-keys/{key_id}', apiKey.id, { reason }, apiKey);
    await navigate({ to: '/api-keys' });
  };
  return (
    <ActionDialog
      title="Delete the key"
      of={apiKey.name}
      consequence={`Programs that use it are refused at once. It can be restored for ${DELETED_KEY_DAYS} days, then it is removed; its ledger and its audit events stay.`}
      action="Delete"
      danger
      typed={apiKey.hint.slice(-4)}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}

function RestoreDialog({ apiKey, onDone, onClose }: KeyDialogProps) {
  const isExposed = apiKey.disable_reason === LEAKED;
  const restore = async (reason: string) => {
    const body = { reason, confirm: isExposed };
    const saved = await api.POST('/admin/api-keys/{key_id}/restore', apiKey.id, body, apiKey);
    onDone({ text: 'The key is restored.', saved });
  };
  return (
    <ActionDialog
      title="Restore the key"
      of={apiKey.name}
      consequence={
        isExposed
          ? 'The secret of this key was exposed: anyone who has found it could use it once the key is enabled. It comes back disabled.'
          : 'The key comes back as it was when it was deleted, with the same secret.'
      }
      action="Restore"
      danger={isExposed}
      onConfirm={restore}
      onClose={onClose}
    />
  );
}

const NOT_UNDONE = EDITED_FIELDS.filter((name) => !keyField(name).undone)
  .map((name) => keyField(name).label.toLowerCase())
  .join(', ');

export function EditKeyDialog({ apiKey, begin = 'name', onDone, onClose }: KeyDialogProps) {
  const edited = useEdited(apiKey, describeKey);
  const settings = useKeyFields(edited.begun, begin);
  const [undo, setUndo] = useState('');
  const edit = async (reason: string) => {
    const body = { ...settings.changed, reason, undo_after_minutes: toNumber(undo) };
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

const OVERLAPS = [
  { value: '0', label: 'None: the old secret stops at once (after a leak)' },
  { value: '0.0417', label: 'One hour' },
  { value: '1', label: 'One day' },
  { value: '7', label: 'Seven days' },
  { value: String(MAX_OVERLAP_DAYS), label: `${MAX_OVERLAP_DAYS} days` },
];

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

export function LeakedBox(props: { isLeaked: boolean; onChange: (isLeaked: boolean) => void }) {
  const { isLeaked, onChange } = props;
  return (
    <Checkbox
      label="The secret has leaked"
      checked={isLeaked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}
