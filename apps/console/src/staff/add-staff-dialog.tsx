import { ROLE_TEXTS, STAFF_ROLES, type StaffRole } from '@app/domain/staff/staff-permissions';
import { NativeSelect, TextInput } from '@mantine/core';
import { api, type Schema, refresh } from '../api/client';
import { ActionDialog, type Doing } from '../components/action-dialog';
import { humanize } from '../components/number';
import { invitationLink } from '../session/invitation';
import { useFields, useRefusal } from '../components/use-fields';

/** What an action has led to: a sentence, and perhaps an invitation that is shown this once. */
export interface StaffDone {
  text: string;
  invitation?: string;
}

export const invitationOf = ({ email, one_time_password }: Schema['NewStaffResponse']): string =>
  invitationLink({ email, password: one_time_password });

export const ROLE_OPTIONS = STAFF_ROLES.map((value) => ({ value, label: humanize(value) }));

/** Adds a person, with an invitation to hand over. */
export function AddStaffDialog({ onDone, onClose }: Doing<StaffDone>) {
  const fields = useFields({ email: '', name: '', role: 'support' });
  const { problem, keep } = useRefusal();
  const add = async (reason: string) => {
    const { email, name, role } = fields.values;
    const body = { email, role: role as StaffRole, reason, ...(name.trim() !== '' && { name }) };
    const member = await api.POST('/admin/staff', {}, body).catch(keep);
    onDone({ text: `${member.email} has been added.`, invitation: invitationOf(member) });
    void refresh(['staff']);
  };
  return (
    <ActionDialog
      title="Add a member"
      of={null}
      consequence="You get a link for them that is shown once. With it they sign in, and choose a password."
      action="Add"
      fields={['email', 'name', 'role']}
      onConfirm={add}
      onClose={onClose}
    >
      <TextInput
        label="E-mail address"
        type="email"
        required
        autoComplete="off"
        {...fields.text('email', problem)}
      />
      <TextInput label="Name" autoComplete="off" {...fields.text('name', problem)} />
      <NativeSelect
        label="Role"
        data={ROLE_OPTIONS}
        description={ROLE_TEXTS[fields.values.role as StaffRole]}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        {...fields.text('role', problem)}
      />
    </ActionDialog>
  );
}
