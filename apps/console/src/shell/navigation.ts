import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import type { ScreenEntry } from '../components/page-tabs';
import {
  AudioLines,
  Building2,
  Headphones,
  House,
  KeyRound,
  Network,
  ScrollText,
  SlidersHorizontal,
  UserCheck,
  type Icon,
} from '../icons/icons';

/** What is counted beside an entry: one of them, and several. */
export const COUNTED = {
  approvals: ['change that waits for your approval', 'changes that wait for your approval'],
  review_desk: ['voice that waits at the review desk', 'voices that wait at the review desk'],
  dead_letters: ['dead letter', 'dead letters'],
  stalled_voices: ['voice without a verdict', 'voices without a verdict'],
} as const;
export type CountName = keyof typeof COUNTED;

export const GROUPS = ['Home', 'Customers', 'Voices', 'System'] as const;

export interface MenuEntry {
  label: string;
  group: (typeof GROUPS)[number];
  icon: Icon;
  screens: readonly ScreenEntry[];
  count?: CountName;
}

/** What it is called, unless it is called what its entry is. */
type ScreenRow = [
  to: string,
  letter: string,
  needs: StaffPermission | undefined,
  hint: string,
  label?: string,
];

const entry = (
  label: string,
  group: MenuEntry['group'],
  icon: Icon,
  rows: ScreenRow[],
  count?: CountName,
): MenuEntry => ({ label, group, icon, screens: rows.map((row) => toScreen(row, label)), count });

const toScreen = ([to, letter, needs, hint, label]: ScreenRow, ofEntry: string): ScreenEntry => ({
  label: label ?? ofEntry,
  to,
  letter,
  needs,
  hint,
});

/** The menu, most used first: at most nine entries for anyone. */
const MENU: readonly MenuEntry[] = [
  entry('Home', 'Home', House, [['/', 'h', undefined, 'What needs attention now.']]),
  entry('Accounts', 'Customers', Building2, [
    ['/accounts', 'a', 'accounts.read', 'Customers: who runs out, who is refused, and their keys.'],
  ]),
  entry('API keys', 'Customers', KeyRound, [
    ['/api-keys', 'k', 'keys.read', 'All keys: find, rotate, disable, limit to addresses.'],
    [
      '/key-safety',
      'f',
      'keys.read',
      'What is unsafe about keys: idle, too broad, too old, shared.',
      'Key safety',
    ],
  ]),
  entry(
    'Approvals',
    'Customers',
    UserCheck,
    [['/approvals', 'p', 'approvals.read', 'Changes that wait for a second person.']],
    'approvals',
  ),
  entry(
    'Voices',
    'Voices',
    AudioLines,
    [['/voices', 'v', 'voices.read', 'Recordings: listen, review again, grade by hand.']],
    'stalled_voices',
  ),
  entry(
    'Review desk',
    'Voices',
    Headphones,
    [['/review-desk', 'w', 'voices.review', 'Voices that wait for a person: listen, decide, next.']],
    'review_desk',
  ),
  entry(
    'Operations',
    'System',
    Network,
    [
      ['/queues', 'q', 'queues.read', 'What waits, who works on it, and how fast.', 'Queues'],
      ['/dead-letters', 'd', 'queues.read', 'Reviews that failed after their last attempt.', 'Dead letters'],
      ['/timers', 't', 'queues.pause', 'What workers do at regular intervals.', 'Timers'],
    ],
    'dead_letters',
  ),
  entry('Audit log', 'System', ScrollText, [
    ['/audit-log', 'l', 'audit.read_own_actions', 'Who did what, when, why, and what it changed.'],
  ]),
  entry('Settings', 'System', SlidersHorizontal, [
    ['/alerts', 'n', 'accounts.write', 'Which alerts customers and staff receive.', 'Rules and alerts'],
    [
      '/key-safety/policies',
      'o',
      'accounts.write',
      'Lifetime, rotation and idle keys by tier.',
      'Key policies',
    ],
    [
      '/screening',
      'g',
      'voices.review',
      'Words, names and recordings that voices must not contain.',
      'Screening',
    ],
    ['/rulesets', 'r', 'alerts.write', 'How other rules would grade the measured recordings.', 'Rulesets'],
    ['/staff', 's', 'staff.read', 'Who may sign in here, and what they may do.', 'Staff'],
    ['/service-credentials', 'c', 'service_credentials.read', 'For other services.', 'Service credentials'],
    [
      '/management-credentials',
      'm',
      'management_credentials.read',
      'For programs that use the staff API.',
      'Management credentials',
    ],
  ]),
];

/** Reached by the palette and its shortcut alone. */
const EXPLAIN = toScreen(
  ['/explain', 'e', 'keys.explain', 'Why a request is let in or refused: paste it.'],
  'Explain',
);

type May = (permission: StaffPermission) => boolean;

const allowed = (screens: readonly ScreenEntry[], may: May) =>
  screens.filter(({ needs }) => !needs || may(needs));

/** The menu of a role; an entry with one screen left is called what that is. */
export function menuOf(may: May): MenuEntry[] {
  return MENU.map((entry) => ({ ...entry, screens: allowed(entry.screens, may) }))
    .filter(({ screens }) => screens.length > 0)
    .map((entry) => (entry.screens.length > 1 ? entry : { ...entry, label: entry.screens[0]!.label }));
}

export function screensOf(may: May): ScreenEntry[] {
  return [...menuOf(may).flatMap(({ screens }) => screens), ...allowed([EXPLAIN], may)];
}
