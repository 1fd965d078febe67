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

interface AlertKindRow {
  category: ContactCategory;
  /** Who it is about: a key, an account or one of its keys, or the installation. */
  about: 'key' | 'account' | 'installation';
  threshold: Threshold | null;
}

/** Every kind of alert. A kind that is not here cannot be noticed and has no rule. */
export const ALERT_KINDS = {
  /** An account, or a key with a separate limit, has used this share of the credits of its billing period, or a budget of its window. */
  credits_used: {
    category: 'credits',
    about: 'account',
    threshold: { unit: 'percent', min: 1, max: 100, when: 'at_least' },
  },
  /** At the present pace an account runs out of credits before its period ends, within this many days. */
  credits_forecast: {
    category: 'credits',
    about: 'account',
    threshold: { unit: 'days', min: 1, max: 31, when: 'within' },
  },
  /** An account has used this many times its usual credits of a day. */
  spend_spike: {
    category: 'credits',
    about: 'account',
    threshold: { unit: 'times', min: 2, max: 1_000, when: 'at_least' },
  },
  /** A key stops working within this many days. */
  key_expiring: {
    category: 'keys',
    about: 'key',
    threshold: { unit: 'days', min: 1, max: 365, when: 'within' },
  },
  /** The former secret of a key under rotation stops working within this many hours. */
  rotation_ending: {
    category: 'keys',
    about: 'key',
    threshold: { unit: 'hours', min: 1, max: 720, when: 'within' },
  },
  /** An enabled key was not used for this many days. */
  key_idle: {
    category: 'keys',
    about: 'key',
    threshold: { unit: 'days', min: 1, max: 3_650, when: 'at_least' },
  },
  /** The secret of a key reaches the age at which its policy wants a new one within this many days, or has reached it. */
  rotation_due: {
    category: 'keys',
    about: 'key',
    threshold: { unit: 'days', min: 1, max: 365, when: 'within' },
  },
  /** A key was not used for as long as its policy allows, and is disabled unless it is used. */
  idle_warning: { category: 'keys', about: 'key', threshold: null },
  /** An allow-list refused a request. */
  list_refused: { category: 'security', about: 'key', threshold: null },
  /** A key was used from a network that it was not used from before. */
  new_network: { category: 'security', about: 'key', threshold: null },
  /** A key was used from a country that it was not used from before. */
  new_country: { category: 'security', about: 'key', threshold: null },
  /** A secret of a key was found where others can read it. */
  key_leaked: { category: 'security', about: 'key', threshold: null },
  /** The review that was requested longest ago has been waiting for this many minutes. */
  review_backlog: {
    category: 'operations',
    about: 'installation',
    threshold: { unit: 'minutes', min: 1, max: 10_080, when: 'at_least' },
  },
  /** This many reviews failed after their last attempt and wait for a person. */
  dead_letters: {
    category: 'operations',
    about: 'installation',
    threshold: { unit: 'reviews', min: 1, max: 1_000_000, when: 'at_least' },
  },
  /** A receiver of webhooks has failed for this many minutes, or was switched off because it failed. */
  receiver_failing: {
    category: 'operations',
    about: 'account',
    threshold: { unit: 'minutes', min: 1, max: 10_080, when: 'at_least' },
  },
  /** No scheduled backup has succeeded for this many hours, or none ever has. */
  backup_missing: {
    category: 'operations',
    about: 'installation',
    threshold: { unit: 'hours', min: 1, max: 8_760, when: 'at_least' },
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
