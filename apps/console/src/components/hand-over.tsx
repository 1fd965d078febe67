import { rolesThatMay, type StaffPermission, type StaffRole } from '@app/domain/staff/staff-permissions';
import { useMay } from '../api/me';
import { Banner } from './banner';
import { CopyButton } from './copy-button';

const LIST = new Intl.ListFormat('en-GB');
const ROLES: Record<StaffRole, string> = {
  admin: 'admins',
  account_manager: 'account managers',
  support: 'support',
  ops: 'operations',
};

/** Who may do what the reader may not, and a message to send to one of them; nothing for who may. */
export function HandOver({ permission, to }: { permission: StaffPermission; to: string }) {
  const may = useMay();
  if (may(permission)) return null;
  const roles = LIST.format(rolesThatMay(permission).map((role) => ROLES[role]));
  return (
    <Banner tone="calm">
      Only {roles} may {to}.{' '}
      <CopyButton
        label="Copy a message for one of them"
        what="a message"
        value={`Please ${to}: ${location.href}`}
      />
    </Banner>
  );
}
