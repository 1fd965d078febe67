import type { StaffPermission } from '@app/domain/staff/staff-permissions';

export interface NavigationEntry {
  label: string;
  /** What is there, in a sentence. */
  hint: string;
  /** Path of the screen. */
  to: string;
  /** Letter of the shortcut: `g`, then this. */
  letter: string;
  /** Shown to those who may do this. */
  needs?: StaffPermission;
}

/** The menu, most used first. */
export const NAVIGATION: readonly NavigationEntry[] = [
  { label: 'Home', hint: 'What needs attention now.', to: '/', letter: 'h' },
  {
    label: 'Accounts',
    hint: 'Customers: their tier, what they use, and their keys.',
    to: '/accounts',
    letter: 'a',
    needs: 'accounts.read',
  },
  {
    label: 'API keys',
    hint: 'All keys: find, rotate, disable, limit to addresses, explain.',
    to: '/api-keys',
    letter: 'k',
    needs: 'keys.read',
  },
  {
    label: 'Voices',
    hint: 'Recordings: listen, see measurements, review again, grade by hand.',
    to: '/voices',
    letter: 'v',
    needs: 'voices.read',
  },
  {
    label: 'Queues',
    hint: 'What waits, who works on it, and how fast.',
    to: '/queues',
    letter: 'q',
    needs: 'queues.read',
  },
  {
    label: 'Dead letters',
    hint: 'Reviews that failed after their last attempt, with the cause.',
    to: '/dead-letters',
    letter: 'd',
    needs: 'queues.read',
  },
  {
    label: 'Audit log',
    hint: 'Who did what, when, why, and what it changed.',
    to: '/audit-log',
    letter: 'l',
    needs: 'audit.read_own_actions',
  },
  {
    label: 'Service credentials',
    hint: 'Credentials of the platform’s other services.',
    to: '/service-credentials',
    letter: 'c',
    needs: 'service_credentials.read',
  },
  {
    label: 'Staff',
    hint: 'Who may sign in here, and what they may do.',
    to: '/staff',
    letter: 's',
    needs: 'staff.read',
  },
];
