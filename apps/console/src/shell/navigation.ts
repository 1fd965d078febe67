import type { StaffPermission } from '@app/domain/staff/staff-permissions';
import {
  AudioLines,
  Bell,
  Building2,
  Headphones,
  House,
  KeyRound,
  MailX,
  Network,
  Route,
  ScrollText,
  ServerCog,
  ShieldAlert,
  ShieldCheck,
  SlidersHorizontal,
  Timer,
  UserCheck,
  Users,
  type Icon,
} from '../icons/icons';

/** What is counted beside an entry: one of them, and several. */
export const COUNTED = {
  approvals: ['change that waits for your approval', 'changes that wait for your approval'],
  dead_letters: ['dead letter', 'dead letters'],
  stalled_voices: ['voice without a verdict', 'voices without a verdict'],
} as const;
export type CountName = keyof typeof COUNTED;

export interface NavigationEntry {
  label: string;
  /** What is there, in a sentence. */
  hint: string;
  /** Path of the screen. */
  to: string;
  icon: Icon;
  /** What the screen belongs to. */
  section?: 'Customers' | 'Voices' | 'Operations' | 'Administration';
  /** Letter of the shortcut: `g`, then this. */
  letter: string;
  /** Shown to those who may do this. */
  needs?: StaffPermission;
  /** The number beside the entry. */
  count?: CountName;
}

/** The menu, section by section, most used first. */
export const NAVIGATION: readonly NavigationEntry[] = [
  { label: 'Home', hint: 'What needs attention now.', to: '/', icon: House, letter: 'h' },
  {
    label: 'Accounts',
    hint: 'Customers: their tier, what they use, and their keys.',
    to: '/accounts',
    icon: Building2,
    section: 'Customers',
    letter: 'a',
    needs: 'accounts.read',
  },
  {
    label: 'API keys',
    hint: 'All keys: find, rotate, disable, limit to addresses.',
    to: '/api-keys',
    icon: KeyRound,
    section: 'Customers',
    letter: 'k',
    needs: 'keys.read',
  },
  {
    label: 'Key safety',
    hint: 'What is unsafe about keys: idle, too broad, too old, shared.',
    to: '/key-safety',
    icon: ShieldCheck,
    section: 'Customers',
    letter: 'f',
    needs: 'keys.read',
  },
  {
    label: 'Explain',
    hint: 'Why a request is let in or refused: paste it.',
    to: '/explain',
    icon: Route,
    section: 'Customers',
    letter: 'e',
    needs: 'keys.explain',
  },
  {
    label: 'Approvals',
    hint: 'Changes that wait for a second person.',
    to: '/approvals',
    icon: UserCheck,
    section: 'Customers',
    letter: 'p',
    needs: 'approvals.read',
    count: 'approvals',
  },
  {
    label: 'Voices',
    hint: 'Recordings: listen, see measurements, review again, grade by hand.',
    to: '/voices',
    icon: AudioLines,
    section: 'Voices',
    letter: 'v',
    needs: 'voices.read',
    count: 'stalled_voices',
  },
  {
    label: 'Review desk',
    hint: 'Voices that wait for a person: listen, decide, next.',
    to: '/review-desk',
    icon: Headphones,
    section: 'Voices',
    letter: 'w',
    needs: 'voices.review',
  },
  {
    label: 'Rulesets',
    hint: 'How other rules would grade the measured recordings.',
    to: '/rulesets',
    icon: SlidersHorizontal,
    section: 'Voices',
    letter: 'r',
    needs: 'voices.review',
  },
  {
    label: 'Screening',
    hint: 'Words, names and recordings that voices must not contain.',
    to: '/screening',
    icon: ShieldAlert,
    section: 'Voices',
    letter: 'g',
    needs: 'voices.review',
  },
  {
    label: 'Queues',
    hint: 'What waits, who works on it, and how fast.',
    to: '/queues',
    icon: Network,
    section: 'Operations',
    letter: 'q',
    needs: 'queues.read',
  },
  {
    label: 'Dead letters',
    hint: 'Reviews that failed after their last attempt, with the cause.',
    to: '/dead-letters',
    icon: MailX,
    section: 'Operations',
    letter: 'd',
    needs: 'queues.read',
    count: 'dead_letters',
  },
  {
    label: 'Timers',
    hint: 'What workers do at regular intervals: the last run, its result, the next run.',
    to: '/timers',
    icon: Timer,
    section: 'Operations',
    letter: 't',
    needs: 'queues.read',
  },
  {
    label: 'Audit log',
    hint: 'Who did what, when, why, and what it changed.',
    to: '/audit-log',
    icon: ScrollText,
    section: 'Administration',
    letter: 'l',
    needs: 'audit.read_own_actions',
  },
  {
    label: 'Rules and alerts',
    hint: 'Which alerts customers and staff receive, and whether they arrived.',
    to: '/alerts',
    icon: Bell,
    section: 'Administration',
    letter: 'n',
    needs: 'alerts.read',
  },
  {
    label: 'Service credentials',
    hint: 'Credentials of the platform’s other services.',
    to: '/service-credentials',
    icon: ServerCog,
    section: 'Administration',
    letter: 'c',
    needs: 'service_credentials.read',
  },
  {
    label: 'Staff',
    hint: 'Who may sign in here, and what they may do.',
    to: '/staff',
    icon: Users,
    section: 'Administration',
    letter: 's',
    needs: 'staff.read',
  },
];
