import { STAFF_ROLES, type StaffRole } from '@app/domain/staff/staff-permissions';
import { NativeSelect, TextInput } from '@mantine/core';
import { api, unwrap } from '../api/client';
import { refresh } from '../api/query-client';
import { ActionDialog, type Doing } from '../components/action-dialog';
import { humanize } from '../components/number';
import { useFields } from '../components/use-fields';
import { useRefusal } from '../components/use-refusal';

/** What an action has led to: a sentence, and perhaps a password that is shown this once. */
export interface StaffDone {
  text: string;
  password?: string;
}

export const ROLE_OPTIONS = STAFF_ROLES.map((value) => ({ value, label: humanize(value) }));

/** Adds a person, with a password that they change at their first sign-in. */
export function AddStaffDialog({ onDone, onClose }: Doing<StaffDone>) {
  const fields = useFields({ email: '', name: '', role: 'support' });
  const { problem, keep } = useRefusal();
  const add = async (reason: string) => {
    const { email, name, role } = fields.values;
    const body = { email, role: role as StaffRole, reason, ...(name.trim() !== '' && { name }) };
    const member = await unwrap(api.POST('/admin/staff', { body })).catch(keep);
    onDone({ text: `${member.email} has been added.`, password: member.one_time_password });
    void refresh(['staff']);
  };
  return (
    <ActionDialog
      title="Add a member"
      of={null}
      consequence="They can sign in at once, with a password that is shown once."
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
      <NativeSelect label="Role" data={ROLE_OPTIONS} {...fields.text('role', problem)} />
    </ActionDialog>
  );
}
