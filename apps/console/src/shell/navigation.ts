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

/** The parts of the menu, in their order. */
export const GROUPS = ['Home', 'Customers', 'Voices', 'System'] as const;

/** An entry of the menu: a screen, or several with tabs between them. */
export interface MenuEntry {
  label: string;
  group: (typeof GROUPS)[number];
  icon: Icon;
  screens: readonly ScreenEntry[];
  /** The number beside the entry. */
  count?: CountName;
}

function screen(
  label: string,
  to: string,
  letter: string,
  hint: string,
  needs?: StaffPermission,
): ScreenEntry {
  return { label, to, letter, hint, needs };
}

/** The menu, most used first: at most nine entries for anyone. */
const MENU: readonly MenuEntry[] = [
  {
    label: 'Home',
    group: 'Home',
    icon: House,
    screens: [screen('Home', '/', 'h', 'What needs attention now.')],
  },
  {
    label: 'Accounts',
    group: 'Customers',
    icon: Building2,
    screens: [
      screen(
        'Accounts',
        '/accounts',
        'a',
        'Customers: who runs out, who is refused, and their keys.',
        'accounts.read',
      ),
    ],
  },
  {
    label: 'API keys',
    group: 'Customers',
    icon: KeyRound,
    screens: [
      screen(
        'API keys',
        '/api-keys',
        'k',
        'All keys: find, rotate, disable, limit to addresses.',
        'keys.read',
      ),
      screen(
        'Key safety',
        '/key-safety',
        'f',
        'What is unsafe about keys: idle, too broad, too old, shared.',
        'keys.read',
      ),
    ],
  },
  {
    label: 'Approvals',
    group: 'Customers',
    icon: UserCheck,
    count: 'approvals',
    screens: [
      screen('Approvals', '/approvals', 'p', 'Changes that wait for a second person.', 'approvals.read'),
    ],
  },
  {
    label: 'Voices',
    group: 'Voices',
    icon: AudioLines,
    count: 'stalled_voices',
    screens: [
      screen('Voices', '/voices', 'v', 'Recordings: listen, review again, grade by hand.', 'voices.read'),
    ],
  },
  {
    label: 'Review desk',
    group: 'Voices',
    icon: Headphones,
    count: 'review_desk',
    screens: [
      screen(
        'Review desk',
        '/review-desk',
        'w',
        'Voices that wait for a person: listen, decide, next.',
        'voices.review',
      ),
    ],
  },
  {
    label: 'Operations',
    group: 'System',
    icon: Network,
    count: 'dead_letters',
    screens: [
      screen('Queues', '/queues', 'q', 'What waits, who works on it, and how fast.', 'queues.read'),
      screen(
        'Dead letters',
        '/dead-letters',
        'd',
        'Reviews that failed after their last attempt.',
        'queues.read',
      ),
      screen('Timers', '/timers', 't', 'What workers do at regular intervals.', 'queues.pause'),
    ],
  },
  {
    label: 'Audit log',
    group: 'System',
    icon: ScrollText,
    screens: [
      screen(
        'Audit log',
        '/audit-log',
        'l',
        'Who did what, when, why, and what it changed.',
        'audit.read_own_actions',
      ),
    ],
  },
  {
    label: 'Settings',
    group: 'System',
    icon: SlidersHorizontal,
    screens: [
      screen(
        'Rules and alerts',
        '/alerts',
        'n',
        'Which alerts customers and staff receive.',
        'accounts.write',
      ),
      screen(
        'Key policies',
        '/key-safety/policies',
        'o',
        'Lifetime, rotation and idle keys by tier.',
        'accounts.write',
      ),
      screen(
        'Screening',
        '/screening',
        'g',
        'Words, names and recordings that voices must not contain.',
        'voices.review',
      ),
      screen(
        'Rulesets',
        '/rulesets',
        'r',
        'How other rules would grade the measured recordings.',
        'alerts.write',
      ),
      screen('Staff', '/staff', 's', 'Who may sign in here, and what they may do.', 'staff.read'),
      screen(
        'Service credentials',
        '/service-credentials',
        'c',
        'For other services.',
        'service_credentials.read',
      ),
      screen(
        'Management credentials',
        '/management-credentials',
        'm',
        'For programs that use the staff API.',
        'management_credentials.read',
      ),
    ],
  },
];

/** Reached by the palette and its shortcut alone. */
const EXPLAIN = screen(
  'Explain',
  '/explain',
  'e',
  'Why a request is let in or refused: paste it.',
  'keys.explain',
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

/** Every screen of a role. */
export function screensOf(may: May): ScreenEntry[] {
  return [...menuOf(may).flatMap(({ screens }) => screens), ...allowed([EXPLAIN], may)];
}
