import { DISABLE_REASONS, type DisableReason } from '@app/domain/keys/disable-reasons';
import { DELETED_KEY_DAYS } from '@app/domain/keys/key-status';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { EDITED_FIELDS, keyField } from '@app/domain/keys/key-fields';
import { defaultOverlapDays, MAX_OVERLAP_DAYS } from '@app/domain/keys/secret-rotation';
import { Choice, Tick, useEdited, toNumber } from '../components/fields';
import { api, type Schema, assume } from '../api/client';
import { ActionDialog } from '../components/action-dialog';
import { named } from '../components/list-filters';
import { ActionsMenu } from '../components/actions-menu';
import { afterDisabling, afterRotation } from '../components/after-change';
import { type KeyDialogProps, type KeyDone, describeKey } from './key-change';
import { UNDO_CHOICES } from '../components/undo-banner';
import { KEY_INPUTS, KeyInputs, useKeyFields } from './key-inputs';
import { SettingsDryRun } from './settings-dry-run';

type Detail = Schema['ApiKeyDetailResponse'];

const ONE = '/admin/api-keys/{key_id}';

export function KeyActions({ apiKey, onDone }: { apiKey: Detail; onDone: (done: KeyDone) => void }) {
  const navigate = useNavigate();
  const { id, name, status } = apiKey;
  const isDeleted = status === 'deleted';
  const isClosed = apiKey.account.status === 'closed';
  const isManaged = apiKey.managed_by !== null;
  const isExposed = apiKey.disable_reason === LEAKED;
  return (
    <ActionsMenu
      variant="filled"
      of={name}
      actions={{
        edit: {
          label: 'Edit…',
          isHidden: isDeleted,
          isDisabled: isClosed || isManaged,
          dialog: (dialog) => <EditKeyDialog {...{ apiKey, onDone, ...dialog }} />,
        },
        rotate: {
          label: 'Rotate the secret…',
          isHidden: isDeleted,
          isDisabled: isClosed,
          dialog: (dialog) => <RotateDialog {...{ apiKey, onDone, ...dialog }} />,
        },
        enable: {
          label: 'Enable…',
          isHidden: status !== 'disabled',
          title: 'Enable the key',
          consequence: 'Programs that still use it are let in again at once.',
          action: 'Enable',
          assume: () => assumeStatus(apiKey, 'enabled'),
          onConfirm: async (reason) => {
            const saved = await api.POST(`${ONE}/enable`, id, { reason }, apiKey);
            onDone({ text: 'The key is enabled.', saved });
          },
        },
        disable: {
          label: 'Disable…',
          isHidden: isDeleted || status === 'disabled',
          dialog: (dialog) => <DisableDialog {...{ apiKey, onDone, ...dialog }} />,
        },
        delete: {
          label: 'Delete…',
          isHidden: isDeleted,
          isDisabled: isManaged,
          title: 'Delete the key',
          consequence: `Programs that use it are refused at once. It can be restored for ${DELETED_KEY_DAYS} days, then it is removed; its ledger and its audit events stay.`,
          action: 'Delete',
          danger: true,
          typed: apiKey.hint.slice(-4),
          onConfirm: async (reason) => {
            await api.DELETE(ONE, id, { reason }, apiKey);
            await navigate({ to: '/api-keys' });
          },
        },
        restore: {
          label: 'Restore…',
          isHidden: !isDeleted,
          isDisabled: isClosed,
          title: 'Restore the key',
          consequence: isExposed
            ? 'The secret of this key was exposed: anyone who has found it could use it once the key is enabled. It comes back disabled.'
            : 'The key comes back as it was when it was deleted, with the same secret.',
          action: 'Restore',
          danger: isExposed,
          onConfirm: async (reason) => {
            const saved = await api.POST(`${ONE}/restore`, id, { reason, confirm: isExposed }, apiKey);
            onDone({ text: 'The key is restored.', saved });
          },
        },
      }}
    />
  );
}

/** An account that does not work keeps its keys from working. */
const assumeStatus = ({ id, account }: Detail, status: 'enabled' | 'disabled') =>
  assume<Detail>(['api-key', id], {
    status,
    ...((status === 'disabled' || account.status === 'active') && { effective_status: status }),
  });

const LEAKED = 'exposed_publicly';
const OTHER_REASONS = named(DISABLE_REASONS.filter((reason) => reason !== LEAKED));

function DisableDialog({ apiKey, onDone, onClose }: KeyDialogProps) {
  const [isLeaked, setLeaked] = useState(false);
  const [why, setWhy] = useState<string>('requested_by_customer');
  const disable = async (reason: string) => {
    const body = { disable_reason: isLeaked ? LEAKED : (why as DisableReason), reason } as const;
    const saved = await api.POST(`${ONE}/disable`, apiKey.id, body, apiKey);
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
      <Tick label="The secret has leaked" checked={isLeaked} onPick={setLeaked} />
      {!isLeaked && <Choice label="Disabled because" value={why} onPick={setWhy} data={OTHER_REASONS} />}
    </ActionDialog>
  );
}

const NOT_UNDONE = EDITED_FIELDS.filter((name) => !keyField(name).undone)
  .map((name) => keyField(name).label.toLowerCase())
  .join(', ');

function EditKeyDialog({ apiKey, begin = 'name', onDone, onClose }: KeyDialogProps) {
  const edited = useEdited(apiKey, describeKey);
  const settings = useKeyFields(edited.begun, begin);
  const [undo, setUndo] = useState('');
  const edit = async (reason: string) => {
    const body = { ...settings.changed, reason, undo_after_minutes: toNumber(undo) };
    const saved = await api.PATCH(ONE, edited.base.id, body, edited.base);
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

function RotateDialog({ apiKey, onDone, onClose }: KeyDialogProps) {
  const [isLeaked, setLeaked] = useState(false);
  const [overlap, setOverlap] = useState(String(defaultOverlapDays('scheduled', '')));
  const days = isLeaked ? 0 : Number(overlap);
  const rotate = async (reason: string) => {
    const body = { overlap_days: days, cause: isLeaked ? 'leaked' : 'scheduled', reason } as const;
    const saved = await api.POST(`${ONE}/rotate`, apiKey.id, body, apiKey);
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
      <Tick label="The secret has leaked" checked={isLeaked} onPick={setLeaked} />
      {!isLeaked && <Choice label="Overlap" data={OVERLAPS} value={overlap} onPick={setOverlap} />}
    </ActionDialog>
  );
}
