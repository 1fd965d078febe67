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

/** An entry of the menu: a screen, or several with tabs between them. */
export interface MenuEntry {
  label: string;
  group: (typeof GROUPS)[number];
  icon: Icon;
  screens: readonly ScreenEntry[];
  count?: CountName;
}

type ScreenRow = [
  label: string,
  to: string,
  letter: string,
  needs: StaffPermission | undefined,
  hint: string,
];

const toScreen = ([label, to, letter, needs, hint]: ScreenRow): ScreenEntry => ({
  label,
  to,
  letter,
  needs,
  hint,
});

const entry = (
  label: string,
  group: MenuEntry['group'],
  icon: Icon,
  rows: ScreenRow[],
  count?: CountName,
): MenuEntry => ({ label, group, icon, screens: rows.map(toScreen), count });

/** The menu, most used first: at most nine entries for anyone. */
const MENU: readonly MenuEntry[] = [
  entry('Home', 'Home', House, [['Home', '/', 'h', undefined, 'What needs attention now.']]),
  entry('Accounts', 'Customers', Building2, [
    [
      'Accounts',
      '/accounts',
      'a',
      'accounts.read',
      'Customers: who runs out, who is refused, and their keys.',
    ],
  ]),
  entry('API keys', 'Customers', KeyRound, [
    ['API keys', '/api-keys', 'k', 'keys.read', 'All keys: find, rotate, disable, limit to addresses.'],
    [
      'Key safety',
      '/key-safety',
      'f',
      'keys.read',
      'What is unsafe about keys: idle, too broad, too old, shared.',
    ],
  ]),
  entry(
    'Approvals',
    'Customers',
    UserCheck,
    [['Approvals', '/approvals', 'p', 'approvals.read', 'Changes that wait for a second person.']],
    'approvals',
  ),
  entry(
    'Voices',
    'Voices',
    AudioLines,
    [['Voices', '/voices', 'v', 'voices.read', 'Recordings: listen, review again, grade by hand.']],
    'stalled_voices',
  ),
  entry(
    'Review desk',
    'Voices',
    Headphones,
    [
      [
        'Review desk',
        '/review-desk',
        'w',
        'voices.review',
        'Voices that wait for a person: listen, decide, next.',
      ],
    ],
    'review_desk',
  ),
  entry(
    'Operations',
    'System',
    Network,
    [
      ['Queues', '/queues', 'q', 'queues.read', 'What waits, who works on it, and how fast.'],
      ['Dead letters', '/dead-letters', 'd', 'queues.read', 'Reviews that failed after their last attempt.'],
      ['Timers', '/timers', 't', 'queues.pause', 'What workers do at regular intervals.'],
    ],
    'dead_letters',
  ),
  entry('Audit log', 'System', ScrollText, [
    [
      'Audit log',
      '/audit-log',
      'l',
      'audit.read_own_actions',
      'Who did what, when, why, and what it changed.',
    ],
  ]),
  entry('Settings', 'System', SlidersHorizontal, [
    ['Rules and alerts', '/alerts', 'n', 'accounts.write', 'Which alerts customers and staff receive.'],
    [
      'Key policies',
      '/key-safety/policies',
      'o',
      'accounts.write',
      'Lifetime, rotation and idle keys by tier.',
    ],
    [
      'Screening',
      '/screening',
      'g',
      'voices.review',
      'Words, names and recordings that voices must not contain.',
    ],
    ['Rulesets', '/rulesets', 'r', 'alerts.write', 'How other rules would grade the measured recordings.'],
    ['Staff', '/staff', 's', 'staff.read', 'Who may sign in here, and what they may do.'],
    ['Service credentials', '/service-credentials', 'c', 'service_credentials.read', 'For other services.'],
    [
      'Management credentials',
      '/management-credentials',
      'm',
      'management_credentials.read',
      'For programs that use the staff API.',
    ],
  ]),
];

/** Reached by the palette and its shortcut alone. */
const EXPLAIN = toScreen([
  'Explain',
  '/explain',
  'e',
  'keys.explain',
  'Why a request is let in or refused: paste it.',
]);

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
