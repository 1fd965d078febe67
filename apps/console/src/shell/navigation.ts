import type { StaffPermission } from '@app/domain/staff-permissions';

export interface NavigationEntry {
  label: string;
  /** Path of the screen. */
  to: string;
  /** Letter of the shortcut: `g`, then this. */
  letter: string;
  /** Shown to those who may do this. */
  needs?: StaffPermission;
}

/** The menu, in the order of the day. */
export const NAVIGATION: readonly NavigationEntry[] = [
  { label: 'Home', to: '/', letter: 'h' },
  { label: 'Accounts', to: '/accounts', letter: 'a', needs: 'accounts.read' },
  { label: 'API keys', to: '/api-keys', letter: 'k', needs: 'keys.read' },
  { label: 'Audit log', to: '/audit-log', letter: 'l', needs: 'audit.read_own_actions' },
  { label: 'Staff', to: '/staff', letter: 's', needs: 'staff.read' },
];
