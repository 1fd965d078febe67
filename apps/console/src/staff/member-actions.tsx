import { ROLE_TEXTS, type StaffRole, STAFF_ROLES } from '@app/domain/staff/staff-permissions';
import { NativeSelect, TextInput } from '@mantine/core';
import { useFields, type Form } from '../components/fields';
import { api, type Schema, refresh, meQuery } from '../api/client';
import { ActionDialog, type Closing, type Doing } from '../components/action-dialog';
import { plural, humanize } from '../components/number';
import { ActionsMenu } from '../components/actions-menu';
import { named } from '../components/list-filters';
import { invitationLink } from '../session/invitation';

type Member = Schema['StaffResponse'];

export interface StaffDone {
  text: string;
  invitation?: string;
}

const ONE = '/admin/staff/{staff_id}';

export function MemberActions({ member, onDone }: { member: Member; onDone: (done: StaffDone) => void }) {
  const { id, email, disabled } = member;
  const done = async (text: string, invitation?: string) => {
    onDone({ text, invitation });
    await refresh(['staff'], meQuery.queryKey);
  };
  return (
    <ActionsMenu
      size="xs"
      aria-label={`Actions for ${email}`}
      links={false}
      of={email}
      actions={{
        role: {
          label: 'Change the role…',
          dialog: ({ onClose }) => <RoleDialog {...{ member, done, onClose }} />,
        },
        password: {
          title: 'Reset the password',
          consequence:
            'Their sessions end. You get a link for them that is shown once, with which they choose another password.',
          danger: true,
          onConfirm: async (reason) => {
            const saved = await api.POST(`${ONE}/reset-password`, id, { reason }, member);
            await done(`The old password of ${email} no longer works.`, invitationOf(saved));
          },
        },
        factor: {
          title: 'Reset the second factor',
          consequence:
            'They lose their authenticator app and their passkeys here, and sign in with the password alone until they set up another factor. Make sure that the request comes from them.',
          danger: true,
          isHidden: !member.second_factor && member.passkeys === 0,
          onConfirm: async (reason) => {
            await api.POST(`${ONE}/reset-second-factor`, id, { reason }, member);
            await done(`The second factor of ${email} is off.`);
          },
        },
        sessions: {
          title: 'End the sessions',
          consequence: 'They have to sign in again, everywhere.',
          onConfirm: async (reason) => {
            const { ended } = await api.POST(`${ONE}/end-sessions`, id, { reason });
            await done(`${plural(ended, 'session')} of ${email} ended.`);
          },
        },
        access: {
          title: disabled ? 'Enable' : 'Disable',
          consequence: disabled ? 'They can sign in again.' : 'Their sessions end, and they cannot sign in.',
          danger: !disabled,
          onConfirm: async (reason) => {
            await api.PATCH(ONE, id, { disabled: !disabled, reason }, member);
            await done(`${email} ${disabled ? 'can sign in again' : 'cannot sign in'}.`);
          },
        },
      }}
    />
  );
}

function RoleDialog(props: Closing & { member: Member; done: (text: string) => Promise<void> }) {
  const { member, done, onClose } = props;
  const fields = useFields({ role: member.role as string });
  const change = async (reason: string) => {
    const role = fields.values.role as StaffRole;
    await api.PATCH(ONE, member.id, { role, reason }, member);
    await done(`${member.email} is now ${humanize(role)}.`);
  };
  return (
    <ActionDialog
      title="Change the role"
      of={member.email}
      consequence="The new role applies from their next request on."
      form={fields}
      onConfirm={change}
      onClose={onClose}
    >
      <RoleSelect field={fields.text('role')} />
    </ActionDialog>
  );
}

function RoleSelect({ field }: { field: ReturnType<Form['text']> }) {
  return (
    <NativeSelect
      label="Role"
      data={named(STAFF_ROLES)}
      description={ROLE_TEXTS[field.value as StaffRole]}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      {...field}
    />
  );
}

const invitationOf = ({ email, one_time_password }: Schema['NewStaffResponse']): string =>
  invitationLink({ email, password: one_time_password });

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
      <RoleSelect field={fields.text('role')} />
    </ActionDialog>
  );
}
