import type { Tier } from '@app/domain/accounts/tiers';
import type { RefusingGate } from '@app/domain/traffic/traffic';

export interface DemoKey {
  name: string;
  /** Credits on a usual day; 0 for a key that is never used. */
  aDay: number;
  /** In which it is used once; 1 unless it is said. */
  everyDays?: number;
  limit?: number;
  /** Requests in an hour of today, and of yesterday, that were refused, and what for. */
  refused?: { gate: RefusingGate; reason: string; status: number; requests: number };
  expiresInDays?: number;
}

export interface DemoAccount {
  name: string;
  tier: Tier;
  /** In place of the tier's. */
  credits?: number;
  /** Beyond those, by staff. */
  granted?: number;
  /** How long ago it was opened: less than a month, so that its first billing period has not ended. */
  daysOld: number;
  /** Whether the first administrator looks after it. */
  managed: boolean;
  keys: [DemoKey, ...DemoKey[]];
}

/** The customer who has something of everything. */
export const MAIN: DemoAccount = {
  name: 'Northwind Audio',
  tier: 'enterprise',
  credits: 1_750_000,
  granted: 250_000,
  daysOld: 21,
  managed: true,
  keys: [
    { name: 'Production, text to voice', aDay: 61_000, limit: 1_600_000 },
    { name: 'Call summaries', aDay: 22_000, expiresInDays: 12 },
    { name: 'Trial of last year', aDay: 0 },
  ],
};

/** Those who run out, who last, who are out and who have not begun. */
export const OTHERS: DemoAccount[] = [
  {
    name: 'Copper Bell Games',
    tier: 'pro',
    daysOld: 12,
    managed: true,
    keys: [
      { name: 'Character lines', aDay: 19_000, limit: 400_000 },
      {
        name: 'Trailers',
        aDay: 6_400,
        everyDays: 3,
        refused: { gate: 'limit', reason: 'too_many_requests', status: 429, requests: 14 },
      },
    ],
  },
  {
    name: 'Juniper Health',
    tier: 'creator',
    daysOld: 24,
    managed: true,
    keys: [{ name: 'Appointment reminders', aDay: 2_300, expiresInDays: 6 }],
  },
  {
    name: 'Brightwater Transit',
    tier: 'business',
    daysOld: 18,
    managed: true,
    keys: [
      { name: 'Station announcements', aDay: 196_000 },
      { name: 'Delays', aDay: 41_000, limit: 800_000 },
    ],
  },
  {
    name: 'Larkspur Learning',
    tier: 'starter',
    daysOld: 5,
    managed: true,
    keys: [{ name: 'Lessons', aDay: 680, everyDays: 2, limit: 20_000, expiresInDays: 20 }],
  },
  {
    name: 'Quayside Museum',
    tier: 'starter',
    daysOld: 16,
    managed: false,
    keys: [
      {
        name: 'Audio guide',
        aDay: 2_400,
        refused: { gate: 'credits', reason: 'insufficient_credits', status: 402, requests: 23 },
      },
    ],
  },
  {
    name: 'Old Mill Podcasts',
    tier: 'free',
    daysOld: 2,
    managed: true,
    keys: [{ name: 'Pilot', aDay: 0 }],
  },
];
