import { ROLE_TEXTS, type StaffRole, STAFF_ROLES } from '@app/domain/staff/staff-permissions';
import { useState } from 'react';
import { NativeSelect, TextInput } from '@mantine/core';
import { Choice, useFields } from '../components/fields';
import { api, type Schema, refresh, meQuery } from '../api/client';
import { ActionDialog, type Doing } from '../components/action-dialog';
import { plural, humanize } from '../components/number';
import { ActionsMenu } from '../components/actions-menu';
import { invitationLink } from '../session/invitation';

type Member = Schema['StaffResponse'];
type Action = 'role' | 'password' | 'factor' | 'sessions' | 'disable' | 'enable';

interface ActionWords {
  label: string;
  consequence: string;
  danger?: boolean;
}

const WORDS: Record<Action, ActionWords> = {
  role: { label: 'Change the role', consequence: 'The new role applies from their next request on.' },
  password: {
    label: 'Reset the password',
    consequence:
      'Their sessions end. You get a link for them that is shown once, with which they choose another password.',
    danger: true,
  },
  factor: {
    label: 'Reset the second factor',
    consequence:
      'They lose their authenticator app and their passkeys here, and sign in with the password alone until they set up another factor. Make sure that the request comes from them.',
    danger: true,
  },
  sessions: { label: 'End the sessions', consequence: 'They have to sign in again, everywhere.' },
  disable: { label: 'Disable', consequence: 'Their sessions end, and they cannot sign in.', danger: true },
  enable: { label: 'Enable', consequence: 'They can sign in again.' },
};

export function MemberActions({ member, onDone }: { member: Member; onDone: (done: StaffDone) => void }) {
  const [action, setAction] = useState<Action | null>(null);
  const offered: Action[] = [
    'role',
    'password',
    ...(member.second_factor || member.passkeys > 0 ? (['factor'] as const) : []),
    'sessions',
    member.disabled ? 'enable' : 'disable',
  ];
  return (
    <>
      <ActionsMenu
        size="xs"
        aria-label={`Actions for ${member.email}`}
        actions={offered.map((name) => [name, `${WORDS[name].label}…`] as const)}
        onPick={setAction}
      />
      {action && (
        <MemberDialog member={member} action={action} onDone={onDone} onClose={() => setAction(null)} />
      )}
    </>
  );
}

function MemberDialog(props: Doing<StaffDone> & { member: Member; action: Action }) {
  const { member, action, onDone, onClose } = props;
  const [role, setRole] = useState(member.role);
  const { label, consequence, danger } = WORDS[action];
  const confirm = async (reason: string) => {
    onDone(await perform(action, member, role, reason));
    await refresh(['staff'], meQuery.queryKey);
  };
  return (
    <ActionDialog
      title={label}
      of={member.email}
      consequence={consequence}
      action={label}
      danger={danger}
      fields={['role']}
      onConfirm={confirm}
      onClose={onClose}
    >
      {action === 'role' && (
        <Choice
          label="Role"
          data={ROLE_OPTIONS}
          description={ROLE_TEXTS[role]}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={role}
          onPick={setRole}
        />
      )}
    </ActionDialog>
  );
}

async function perform(action: Action, member: Member, role: StaffRole, reason: string): Promise<StaffDone> {
  const { email } = member;
  switch (action) {
    case 'role':
      await api.PATCH('/admin/staff/{staff_id}', member.id, { role, reason }, member);
      return { text: `${email} is now ${humanize(role)}.` };
    case 'password': {
      const saved = await api.POST('/admin/staff/{staff_id}/reset-password', member.id, { reason }, member);
      return { text: `The old password of ${email} no longer works.`, invitation: invitationOf(saved) };
    }
    case 'factor':
      await api.POST('/admin/staff/{staff_id}/reset-second-factor', member.id, { reason }, member);
      return { text: `The second factor of ${email} is off.` };
    case 'sessions': {
      const { ended } = await api.POST('/admin/staff/{staff_id}/end-sessions', member.id, { reason });
      return { text: `${plural(ended, 'session')} of ${email} ended.` };
    }
    default: {
      const disabled = action === 'disable';
      await api.PATCH('/admin/staff/{staff_id}', member.id, { disabled, reason }, member);
      return { text: `${email} ${disabled ? 'cannot sign in' : 'can sign in again'}.` };
    }
  }
}

export interface StaffDone {
  text: string;
  invitation?: string;
}

export const invitationOf = ({ email, one_time_password }: Schema['NewStaffResponse']): string =>
  invitationLink({ email, password: one_time_password });

export const ROLE_OPTIONS = STAFF_ROLES.map((value) => ({ value, label: humanize(value) }));

export function AddStaffDialog({ onDone, onClose }: Doing<StaffDone>) {
  const fields = useFields({ email: '', name: '', role: 'support' });
  const add = async (reason: string) => {
    const { email, name, role } = fields.values;
    const body = { email, role: role as StaffRole, reason, ...(name.trim() !== '' && { name }) };
    const member = await api.POST('/admin/staff', {}, body);
    onDone({ text: `${member.email} has been added.`, invitation: invitationOf(member) });
    void refresh(['staff']);
  };
  return (
    <ActionDialog
      title="Add a member"
      of={null}
      consequence="You get a link for them that is shown once. With it they sign in, and choose a password."
      action="Add"
      form={fields}
      onConfirm={add}
      onClose={onClose}
    >
      <TextInput label="E-mail address" type="email" required autoComplete="off" {...fields.text('email')} />
      <TextInput label="Name" autoComplete="off" {...fields.text('name')} />
      <NativeSelect
        label="Role"
        data={ROLE_OPTIONS}
        description={ROLE_TEXTS[fields.values.role as StaffRole]}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        {...fields.text('role')}
      />
    </ActionDialog>
  );
}
