/** What the people of an account can subscribe to; each kind of alert belongs to one. */
export const CONTACT_CATEGORIES = ['credits', 'keys', 'security', 'operations'] as const;
export type ContactCategory = (typeof CONTACT_CATEGORIES)[number];

/** What a rule compares. A kind without a threshold has none. */
interface Threshold {
  unit: 'percent' | 'days' | 'hours' | 'minutes' | 'times' | 'reviews';
  min: number;
  max: number;
  /** `within`: a time that is left, and the rule fires when no more than the threshold is. */
  when: 'at_least' | 'within';
}

export interface AlertKindRow {
  /** In lists and forms. */
  name: string;
  /** Of a message, for one alert and for several. */
  headings: readonly [one: string, several: string];
  category: ContactCategory;
  /** Who it is about: a key, an account or one of its keys, or the installation. */
  about: 'key' | 'account' | 'installation';
  threshold: Threshold | null;
  /**
   * Thresholds of the rules that every installation begins with, by e-mail and chat; none by default. Applied once, when an installation
   * first has the kind: staff may change or delete them. Those of kinds that are older than this field stand in migrations.
   */
  firstRules?: readonly (number | null)[];
}

/** Every kind of alert. A kind that is not here cannot be noticed and has no rule. */
export const ALERT_KINDS = {
  /** An account, or a key with a separate limit, has used this share of the credits of its billing period, or a budget of its window. */
  credits_used: {
    name: 'Credits used',
    headings: ['Credits are used up to a threshold', 'thresholds of credits are reached'],
    category: 'credits',
    about: 'account',
    threshold: { unit: 'percent', min: 1, max: 100, when: 'at_least' },
  },
  /** At the present pace an account runs out of credits before its period ends, within this many days. */
  credits_forecast: {
    name: 'Credits run out',
    headings: ['Credits will run out', 'forecasts of running out of credits'],
    category: 'credits',
    about: 'account',
    threshold: { unit: 'days', min: 1, max: 31, when: 'within' },
  },
  /** An account has used this many times its usual credits of a day. */
  spend_spike: {
    name: 'Unusual use of credits',
    headings: ['Unusual use of credits', 'accounts use an unusual number of credits'],
    category: 'credits',
    about: 'account',
    threshold: { unit: 'times', min: 2, max: 1_000, when: 'at_least' },
  },
  /** A key stops working within this many days. */
  key_expiring: {
    name: 'Key expires',
    headings: ['An API key expires soon', 'API keys expire soon'],
    category: 'keys',
    about: 'key',
    threshold: { unit: 'days', min: 1, max: 365, when: 'within' },
  },
  /** The former secret of a key under rotation stops working within this many hours. */
  rotation_ending: {
    name: 'Former secret stops working',
    headings: ['A former secret stops working soon', 'former secrets stop working soon'],
    category: 'keys',
    about: 'key',
    threshold: { unit: 'hours', min: 1, max: 720, when: 'within' },
  },
  /** An enabled key was not used for this many days. */
  key_idle: {
    name: 'Key not used',
    headings: ['An API key is not used', 'API keys are not used'],
    category: 'keys',
    about: 'key',
    threshold: { unit: 'days', min: 1, max: 3_650, when: 'at_least' },
  },
  /** The secret of a key reaches the age at which its policy wants a new one within this many days, or has reached it. */
  rotation_due: {
    name: 'Secret should be replaced',
    headings: ['An API key needs a new secret', 'API keys need a new secret'],
    category: 'keys',
    about: 'key',
    threshold: { unit: 'days', min: 1, max: 365, when: 'within' },
  },
  /** A key was not used for as long as its policy allows, and is disabled unless it is used. */
  idle_warning: {
    name: 'Key not used, will be disabled',
    headings: ['An API key is not used and will be disabled', 'API keys are not used and will be disabled'],
    category: 'keys',
    about: 'key',
    threshold: null,
  },
  /** Of the requests of a key, this share was refused within an hour: too many (429), without credits (402), or by its address (403). */
  key_refused: {
    name: 'Key is refused',
    headings: ['Requests of an API key are refused', 'API keys are refused'],
    category: 'keys',
    about: 'key',
    threshold: { unit: 'percent', min: 1, max: 100, when: 'at_least' },
    firstRules: [50],
  },
  /** An allow-list refused a request. */
  list_refused: {
    name: 'Allow-list refused a request',
    headings: ['An allow-list refused requests', 'allow-lists refused requests'],
    category: 'security',
    about: 'key',
    threshold: null,
  },
  /** A key was used from a network that it was not used from before. */
  new_network: {
    name: 'First use from a network',
    headings: ['An API key is used from a new network', 'API keys are used from new networks'],
    category: 'security',
    about: 'key',
    threshold: null,
  },
  /** A key was used from a country that it was not used from before. */
  new_country: {
    name: 'First use from a country',
    headings: ['An API key is used from a new country', 'API keys are used from new countries'],
    category: 'security',
    about: 'key',
    threshold: null,
  },
  /** A secret of a key was found where others can read it. */
  key_leaked: {
    name: 'Leaked key',
    headings: ['A leaked API key', 'leaked API keys'],
    category: 'security',
    about: 'key',
    threshold: null,
  },
  /** The review that was requested longest ago has been waiting for this many minutes. */
  review_backlog: {
    name: 'Reviews wait',
    headings: ['Reviews are waiting', 'notices of waiting reviews'],
    category: 'operations',
    about: 'installation',
    threshold: { unit: 'minutes', min: 1, max: 10_080, when: 'at_least' },
  },
  /** This many reviews failed after their last attempt and wait for a person. */
  dead_letters: {
    name: 'Dead letters',
    headings: ['Reviews failed after their last attempt', 'notices of failed reviews'],
    category: 'operations',
    about: 'installation',
    threshold: { unit: 'reviews', min: 1, max: 1_000_000, when: 'at_least' },
  },
  /** A receiver of webhooks has failed for this many minutes, or was switched off because it failed. */
  receiver_failing: {
    name: 'Receiver of webhooks fails',
    headings: ['A receiver of webhooks fails', 'receivers of webhooks fail'],
    category: 'operations',
    about: 'account',
    threshold: { unit: 'minutes', min: 1, max: 10_080, when: 'at_least' },
  },
  /** No scheduled backup has succeeded for this many hours, or none ever has. */
  backup_missing: {
    name: 'No backup has succeeded',
    headings: ['No backup has succeeded', 'notices of missing backups'],
    category: 'operations',
    about: 'installation',
    threshold: { unit: 'hours', min: 1, max: 8_760, when: 'at_least' },
  },
  /** A check of the operation has failed for this many minutes, or a queue has been paused for as long. */
  check_failed: {
    name: 'Check of the operation fails',
    headings: ['A check of the operation fails', 'checks of the operation fail'],
    category: 'operations',
    about: 'installation',
    threshold: { unit: 'minutes', min: 1, max: 10_080, when: 'at_least' },
    firstRules: [10],
  },
} as const satisfies Record<string, AlertKindRow>;

export type AlertKind = keyof typeof ALERT_KINDS;

export const ALERT_KIND_NAMES = Object.keys(ALERT_KINDS) as AlertKind[];

const ROWS: Record<AlertKind, AlertKindRow> = ALERT_KINDS;

/** No kind accepts less or more than these. */
export const WIDEST_THRESHOLD = (() => {
  const accepted = Object.values(ROWS).flatMap(({ threshold }) => threshold ?? []);
  return {
    min: Math.min(...accepted.map(({ min }) => min)),
    max: Math.max(...accepted.map(({ max }) => max)),
  };
})();

/** A kind's row of the table. */
export function alertKind(kind: AlertKind): AlertKindRow {
  return ROWS[kind];
}

/**
 * What is wrong with the threshold of a rule; null when nothing is.
 *
 * @param threshold null for none
 */
export function thresholdProblem(kind: AlertKind, threshold: number | null): string | null {
  const accepted = alertKind(kind).threshold;
  if (accepted === null) return threshold === null ? null : `Input should be null: ${kind} has no threshold`;
  const { unit, min, max } = accepted;
  if (threshold !== null && threshold >= min && threshold <= max) return null;
  return `Input should be a number of ${unit} from ${min} to ${max}`;
}

/** Whether a rule fires at a value in the unit of its kind. A kind without a threshold always does. */
export function isReached(kind: AlertKind, threshold: number | null, value: number | undefined): boolean {
  const accepted = alertKind(kind).threshold;
  if (accepted === null || threshold === null || value === undefined) return true;
  return accepted.when === 'within' ? value <= threshold : value >= threshold;
}
