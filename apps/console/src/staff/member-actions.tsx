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
type Action = keyof ReturnType<typeof actionsOf>;

export function MemberActions({ member, onDone }: { member: Member; onDone: (done: StaffDone) => void }) {
  const [picked, setPicked] = useState<Action | null>(null);
  const [role, setRole] = useState(member.role);
  const actions = actionsOf(member, role);
  const action = picked && actions[picked];
  const names = Object.keys(actions) as Action[];
  const hasFactor = member.second_factor || member.passkeys > 0;
  return (
    <>
      <ActionsMenu
        size="xs"
        aria-label={`Actions for ${member.email}`}
        actions={names
          .filter((name) => name !== 'factor' || hasFactor)
          .map((name) => [name, `${actions[name].title}…`] as const)}
        onPick={(name) => {
          setRole(member.role);
          setPicked(name);
        }}
      />
      {action && (
        <ActionDialog
          {...action}
          of={member.email}
          fields={['role']}
          onConfirm={async (reason) => {
            onDone(await action.send(reason));
            await refresh(['staff'], meQuery.queryKey);
          }}
          onClose={() => setPicked(null)}
        >
          {picked === 'role' && (
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
      )}
    </>
  );
}

const ONE = '/admin/staff/{staff_id}';

/** What can be done with a member, and how its dialog asks for it. */
function actionsOf(member: Member, role: StaffRole) {
  const { id, email, disabled } = member;
  return {
    role: {
      title: 'Change the role',
      consequence: 'The new role applies from their next request on.',
      send: async (reason: string): Promise<StaffDone> => {
        await api.PATCH(ONE, id, { role, reason }, member);
        return { text: `${email} is now ${humanize(role)}.` };
      },
    },
    password: {
      title: 'Reset the password',
      consequence:
        'Their sessions end. You get a link for them that is shown once, with which they choose another password.',
      danger: true,
      send: async (reason: string): Promise<StaffDone> => {
        const saved = await api.POST(`${ONE}/reset-password`, id, { reason }, member);
        return { text: `The old password of ${email} no longer works.`, invitation: invitationOf(saved) };
      },
    },
    factor: {
      title: 'Reset the second factor',
      consequence:
        'They lose their authenticator app and their passkeys here, and sign in with the password alone until they set up another factor. Make sure that the request comes from them.',
      danger: true,
      send: async (reason: string): Promise<StaffDone> => {
        await api.POST(`${ONE}/reset-second-factor`, id, { reason }, member);
        return { text: `The second factor of ${email} is off.` };
      },
    },
    sessions: {
      title: 'End the sessions',
      consequence: 'They have to sign in again, everywhere.',
      send: async (reason: string): Promise<StaffDone> => {
        const { ended } = await api.POST(`${ONE}/end-sessions`, id, { reason });
        return { text: `${plural(ended, 'session')} of ${email} ended.` };
      },
    },
    access: {
      title: disabled ? 'Enable' : 'Disable',
      consequence: disabled ? 'They can sign in again.' : 'Their sessions end, and they cannot sign in.',
      danger: !disabled,
      send: async (reason: string): Promise<StaffDone> => {
        await api.PATCH(ONE, id, { disabled: !disabled, reason }, member);
        return { text: `${email} ${disabled ? 'can sign in again' : 'cannot sign in'}.` };
      },
    },
  };
}

export interface StaffDone {
  text: string;
  invitation?: string;
}

const invitationOf = ({ email, one_time_password }: Schema['NewStaffResponse']): string =>
  invitationLink({ email, password: one_time_password });

const ROLE_OPTIONS = STAFF_ROLES.map((value) => ({ value, label: humanize(value) }));

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
